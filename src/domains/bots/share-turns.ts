/** A message that could be sent now if its bot had a turn for it. */
export interface Candidate {
  projectId: string;
  /** Platform calls that the message takes. */
  calls: number;
}

/** A project that waits for the bot, here or in another process. */
export interface WaitingProject {
  projectId: string;
  served: number;
}

interface SharedTurns {
  /** Indexes of the candidates that get a turn. */
  granted: number[];
  /** The calls that each project of the candidates has been served. */
  served: Map<string, number>;
}

/**
 * Distributes the calls that a bot may make now: always to the project that has been served least. A project may be
 * ahead of the others that wait by `quantum` calls at most, so that a small job keeps its share beside a large one. A
 * project that begins to wait starts level with the one served least: it neither catches up nor pays for the past.
 */
export function shareTurns(
  candidates: Candidate[],
  waiting: WaitingProject[],
  allowed: number,
  quantum: number,
): SharedTurns {
  const level = Math.min(...waiting.map((project) => project.served));
  const start = Number.isFinite(level) ? level : 0;
  const known = new Map(waiting.map(({ projectId, served }) => [projectId, served]));
  const queues = new Map<string, number[]>();
  const served = new Map<string, number>();
  for (const [index, { projectId }] of candidates.entries()) {
    const queue = queues.get(projectId) ?? [];
    queue.push(index);
    queues.set(projectId, queue);
    served.set(projectId, known.get(projectId) ?? start);
  }
  const elsewhere = waiting.filter(({ projectId }) => !queues.has(projectId));
  const limit = Math.min(...elsewhere.map((project) => project.served)) + quantum;

  const granted: number[] = [];
  for (let left = allowed; left > 0;) {
    const next = leastServed(queues, served);
    if (next === null || (served.get(next) ?? 0) >= limit) break;
    const index = queues.get(next)?.shift() ?? 0;
    const calls = candidates[index]?.calls ?? 1;
    granted.push(index);
    served.set(next, (served.get(next) ?? 0) + calls);
    left -= calls;
  }
  return { granted, served };
}

function leastServed(queues: Map<string, number[]>, served: Map<string, number>): string | null {
  let least: string | null = null;
  for (const [projectId, queue] of queues) {
    if (queue.length === 0) continue;
    if (least === null || (served.get(projectId) ?? 0) < (served.get(least) ?? 0)) least = projectId;
  }
  return least;
}
