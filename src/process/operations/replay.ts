import type { HistoryAndWorkflowId } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { withTimeout } from '../../base/lib/timeout';

export interface ReplayOutcome {
  workflow_id: string;
  run_id: string;
  ok: boolean;
  /** Where code and history diverge, if the replay can tell. */
  event_id: number | null;
  event_type: string | null;
  problem: string | null;
}

type Histories = AsyncIterable<HistoryAndWorkflowId> | Iterable<HistoryAndWorkflowId>;

/** Thousands of events replay in a few seconds. */
const LIMIT_MS = 30_000;

/**
 * Replays histories against a workflow bundle, without a server, to find workflows that could not continue with it. A
 * history that does not end within the limit is reported, and the others go on.
 */
export async function* replayHistories(
  bundlePath: string,
  histories: Histories,
  limitMs = LIMIT_MS,
): AsyncGenerator<ReplayOutcome> {
  const given = all(histories);
  const notBegun: ReplayOutcome[] = [];
  let current: HistoryAndWorkflowId | undefined;
  let isOver = false;
  const givenUp: AsyncIterableIterator<unknown>[] = [];
  async function* remaining(): AsyncGenerator<HistoryAndWorkflowId> {
    for (let next = await given.next(); next.done !== true; next = await given.next()) {
      current = next.value;
      if (hasBegun(current)) yield current;
      else notBegun.push({ workflow_id: current.workflowId, run_id: '', ok: true, ...divergence(undefined) });
    }
    isOver = true;
  }
  while (!isOver) {
    const results = Worker.runReplayHistories({ workflowBundle: { codePath: bundlePath } }, remaining());
    for (;;) {
      const next = results.next();
      let result;
      // The time of a history begins when the worker has taken it.
      do result = await orNull(next, limitMs);
      while (result === null && !current);
      yield* notBegun.splice(0);
      if (result === null) {
        // Another worker takes the rest.
        givenUp.push(results);
        const problem = `not replayed within ${limitMs / 1000} s`;
        yield { workflow_id: current?.workflowId ?? '', run_id: '', ok: false, ...nowhere, problem };
        current = undefined;
        break;
      }
      current = undefined;
      if (result.done) break;
      const { workflowId, runId, error } = result.value;
      yield { workflow_id: workflowId, run_id: runId, ok: error === undefined, ...divergence(error) };
    }
  }
  // They stop when they get that far. Not before: the SDK's runtime ends with the last worker that stops.
  for (const results of givenUp) void results.return?.();
}

function orNull<T>(work: Promise<T>, limitMs: number): Promise<T | null> {
  return withTimeout(work, limitMs).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ETIMEDOUT') throw error;
    return null;
  });
}

async function* all(histories: Histories): AsyncGenerator<HistoryAndWorkflowId> {
  yield* histories;
}

/** Before the first task no code has run, so none can diverge; a replay would wait for that task. */
function hasBegun({ history }: HistoryAndWorkflowId): boolean {
  const { events } = history as { events?: { workflowTaskStartedEventAttributes?: unknown }[] | null };
  return (events ?? []).some((event) => event.workflowTaskStartedEventAttributes);
}

const nowhere = { event_id: null, event_type: null };

/** The SDK core reports the event only in its error message. */
function divergence(error: Error | undefined): Pick<ReplayOutcome, 'event_id' | 'event_type' | 'problem'> {
  if (!error) return { ...nowhere, problem: null };
  const [, id, type] = /HistoryEvent\(id: (\d+), (\w+)\)/.exec(error.message) ?? [];
  return { event_id: id ? Number(id) : null, event_type: type ?? null, problem: error.message };
}
