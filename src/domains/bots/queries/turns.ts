import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { shareTurns, type Candidate, type WaitingProject } from '../share-turns';
import { CHAT_SECONDS_PER_CALL, allowedCalls, botPace, chatKeyOf, consumeBotPace, lockBotPace } from './pace';

export interface TurnCandidate extends Candidate {
  chatId: string;
}

export interface TurnClaim {
  bot: string;
  perSecond: number;
  /** Single messages and one-time codes: they go before broadcasts. */
  urgent: boolean;
  /** In the order in which they came. */
  candidates: TurnCandidate[];
}

export interface ClaimedTurns {
  /** Indexes of the candidates to send now. */
  granted: Set<number>;
  /** Milliseconds until a candidate's chat is free, by index; only for chats that are not. */
  chatWaitMs: Map<number, number>;
  /** Milliseconds until the bot is worth asking again. */
  waitMs: number;
}

/** How long a project counts as waiting after it last asked. Longer than any sender sleeps between two claims. */
const WAITING_SECONDS = 2;
/** How far ahead of others a project may be, in seconds of the bot's pace. */
const QUANTUM_SECONDS = 0.1;

/**
 * Claims turns of a bot: as many as its pace allows, one at a time for each chat, urgent messages first, and shared
 * between the projects that wait in any process: otherwise a small broadcast would wait for the end of a large one. Runs in the
 * caller's transaction and holds the bot's lock until it ends.
 */
export async function claimTurns(db: Db, claim: TurnClaim): Promise<ClaimedTurns> {
  const { bot, perSecond, urgent, candidates } = claim;
  // Sent together: the two reads follow the lock in the same round trip, each with a snapshot of its own.
  const [allowance, waiting, chatWaitMs] = await Promise.all([
    lockBotPace(db, bot),
    waitingProjects(db, bot),
    busyChats(db, bot, candidates),
  ]);
  const free = firstOfEachChat(candidates).filter((index) => !chatWaitMs.has(index));
  const mustWait = !urgent && waiting.some((project) => project.urgent);
  const allowed = mustWait ? 0 : allowedCalls(allowance, Infinity, botPace(perSecond));
  const rivals = waiting.filter((project) => project.urgent === urgent);
  const ready = free.map((index) => candidates[index] as TurnCandidate);
  const shared = shareTurns(ready, rivals, allowed, Math.max(1, perSecond * QUANTUM_SECONDS));
  const granted = new Set(shared.granted.map((place) => free[place] as number));

  const refused = new Set(
    free.filter((index) => !granted.has(index)).map((index) => candidates[index]?.projectId),
  );
  const turns = [...shared.served].map(([projectId, served]) => ({
    projectId,
    served,
    waits: refused.has(projectId),
  }));
  const sent = [...granted].map((index) => candidates[index] as TurnCandidate);
  await Promise.all([
    ...(sent.length > 0
      ? [consumeBotPace(db, bot, sum(sent.map(({ calls }) => calls)), perSecond), occupyChats(db, bot, sent)]
      : []),
    recordWaits(
      db,
      bot,
      urgent,
      turns.filter(({ waits, projectId }) => waits || rivals.some((rival) => rival.projectId === projectId)),
    ),
  ]);
  const secondsUntilFree = Math.max(0, -allowance);
  // With several projects waiting, everyone's next turn is that much later.
  const secondsPerRound = Math.min(1, Math.max(1, waiting.length) / perSecond);
  return { granted, chatWaitMs, waitMs: 1000 * Math.max(secondsUntilFree, secondsPerRound) };
}

/** A chat gets one message at a time, even if several wait for it. */
function firstOfEachChat(candidates: TurnCandidate[]): number[] {
  const seen = new Set<string>();
  return [...candidates.keys()].filter((index) => {
    const { chatId } = candidates[index] as TurnCandidate;
    return !seen.has(chatId) && seen.add(chatId);
  });
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function waitingProjects(db: Db, bot: string): Promise<(WaitingProject & { urgent: boolean })[]> {
  return rows(
    db,
    'waiting_projects',
    `SELECT project_id AS "projectId", served, urgent FROM bot_turns
     WHERE bot = $1 AND waiting_until > clock_timestamp()`,
    [bot],
  );
}

async function busyChats(db: Db, bot: string, candidates: TurnCandidate[]): Promise<Map<number, number>> {
  const busy = await rows<{ place: number; wait_ms: number }>(
    db,
    'busy_chats',
    `SELECT given.place - 1 AS place, extract(epoch FROM pace.next_at - clock_timestamp())::float8 * 1000 AS wait_ms
     FROM unnest($2::text[]) WITH ORDINALITY AS given (chat_id, place)
     JOIN chat_pace pace ON pace.chat = ${chatKeyOf('$1::text', 'given.chat_id')}
     WHERE pace.next_at > clock_timestamp()`,
    [bot, candidates.map(({ chatId }) => chatId)],
  );
  return new Map(busy.map(({ place, wait_ms }) => [place, Math.max(0, wait_ms)]));
}

function occupyChats(db: Db, bot: string, sent: TurnCandidate[]): Promise<number> {
  return change(
    db,
    'occupy_chats',
    `INSERT INTO chat_pace (chat, bot, next_at)
     SELECT ${chatKeyOf('$1::text', 'given.chat_id')}, $1,
       clock_timestamp() + make_interval(secs => given.calls * ${CHAT_SECONDS_PER_CALL})
     FROM unnest($2::text[], $3::float8[]) AS given (chat_id, calls)
     ON CONFLICT (chat) DO UPDATE SET next_at = excluded.next_at`,
    [bot, sent.map(({ chatId }) => chatId), sent.map(({ calls }) => calls)],
  );
}

/** A project that does not wait any more loses its place. */
async function recordWaits(
  db: Db,
  bot: string,
  urgent: boolean,
  projects: (WaitingProject & { waits: boolean })[],
): Promise<unknown> {
  if (projects.length === 0) return;
  return change(
    db,
    'record_waits',
    `INSERT INTO bot_turns (bot, urgent, project_id, served, waiting_until)
     SELECT $1, $2, given.project_id, given.served,
       clock_timestamp() + make_interval(secs => CASE WHEN given.waits THEN ${WAITING_SECONDS} ELSE 0 END)
     FROM unnest($3::uuid[], $4::float8[], $5::boolean[]) AS given (project_id, served, waits)
     ON CONFLICT (bot, urgent, project_id) DO UPDATE
     SET served = excluded.served, waiting_until = excluded.waiting_until`,
    [
      bot,
      urgent,
      projects.map(({ projectId }) => projectId),
      projects.map(({ served }) => served),
      projects.map(({ waits }) => waits),
    ],
  );
}
