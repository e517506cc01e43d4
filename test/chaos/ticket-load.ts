import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../src/base/db/pool';
import { createSimulatorControl, simulatedChannels } from '../support/simulator-control';
import { createCaller, until, untilNoneLeft } from './caller';
import type { ChaosFixture } from './fixture';
import type { Random } from './random';

/** What customers and agents saw of the helpdesk. */
export interface TicketsSeen {
  /** Texts of customers, each sent once. */
  written: Set<string>;
  /** Texts of replies that the API has accepted. */
  accepted: Set<string>;
  closed: number;
  /** Tickets whose customers wait, and of which no event told at the end: their timers have stopped. */
  forgotten: number;
  failedCalls(): number;
}

export interface TicketLoad {
  seen: TicketsSeen;
  /** Ends the conversations, waits for the timers of those without an answer, and closes every ticket. */
  stop(): Promise<void>;
}

const CUSTOMERS = 2;
const AGENTS = 1;
const MESSAGES = 4;
/** Those of the logins begin lower. */
const FIRST_USER = 5_000_000;
const CUSTOMER_PATIENCE_MS = 15_000;
const PAUSE_MS = 500;
/** Longer than the lease of an Idempotency-Key whose holder has died. */
const AGENT_PATIENCE_MS = 60_000;

/** Customers who write, and agents who reply, close and come back to what a customer reopens. */
export function startTicketLoad(
  fixture: ChaosFixture,
  random: Random,
  mayAdd: () => boolean = () => true,
): TicketLoad {
  const control = createSimulatorControl(fixture.simulator.url);
  const caller = createCaller(fixture);
  const seen: TicketsSeen = {
    written: new Set(),
    accepted: new Set(),
    closed: 0,
    forgotten: 0,
    failedCalls: () => caller.failedCalls,
  };
  /** When it was asked to stop; 0 before. */
  let stopped = 0;

  /** With a key, and again until it is answered: what a caller does who wants a thing done once. */
  function request(method: string, route: string, body: unknown) {
    const headers = { 'idempotency-key': randomUUID() };
    return until(AGENT_PATIENCE_MS, async () => {
      const answer = await caller.call(method, route, body, headers);
      return answer.status === 0 || answer.status >= 500 || answer.status === 425 ? null : answer;
    });
  }

  async function conversation(user: number): Promise<void> {
    const channel = simulatedChannels[user % simulatedChannels.length] ?? 'telegram';
    await control.open(channel, user, { start: 'help_chaos', first_name: 'Chaos' });
    const asked = await until(CUSTOMER_PATIENCE_MS, async () => {
      const { messages } = await control.chat(channel, user);
      return messages.find(({ text }) => text === 'What is it about?');
    });
    if (!asked) return;
    for (let n = 1; n <= MESSAGES; n += 1) {
      const text = `from ${user}, ${n}`;
      await control.say(channel, user, text);
      seen.written.add(text);
      await sleep(random.between(100, 2_500));
    }
  }

  const goesOnFor = (done: Set<string>): boolean =>
    !stopped || (done.size === 0 && Date.now() < stopped + AGENT_PATIENCE_MS);

  /** Goes on until one text was written, as agents do. */
  async function customers(lane: number): Promise<void> {
    for (let turn = 0; goesOnFor(seen.written); turn += 1) {
      if (stopped || mayAdd()) await conversation(FIRST_USER + lane * 10_000 + turn).catch(() => undefined);
      else await sleep(PAUSE_MS);
    }
  }

  async function openTickets(): Promise<{ ticket_id: string; status: string }[]> {
    const { body } = await caller.call('GET', '/v1/helpdesk/tickets?open=true&limit=100');
    return (body['data'] ?? []) as { ticket_id: string; status: string }[];
  }

  /** Goes on until one reply was accepted: the last fault may have left no time for any. */
  async function agent(): Promise<void> {
    while (goesOnFor(seen.accepted)) {
      await sleep(random.between(300, 1_200));
      const open = stopped || mayAdd() ? await openTickets() : [];
      if (open.length === 0) continue;
      const path = `/v1/helpdesk/tickets/${random.pick(open).ticket_id}`;
      const chance = random.next();
      if (chance < 0.2 && seen.accepted.size > 0) {
        await request('PATCH', path, { status: 'closed' });
        continue;
      }
      const text = `reply ${randomUUID()}`;
      const status = chance < 0.4 ? { status: 'closed' } : {};
      const answer = await request('POST', `${path}/messages`, { content: { text }, ...status });
      if (answer?.status === 201) seen.accepted.add(text);
    }
  }

  const running = until(AGENT_PATIENCE_MS, async () => {
    const { status } = await caller.call('PATCH', '/v1/helpdesk', { enabled: true });
    return status === 200 ? true : null;
  }).then(() =>
    Promise.all([
      ...Array.from({ length: CUSTOMERS }, (_, lane) => customers(lane)),
      ...Array.from({ length: AGENTS }, agent),
    ]),
  );

  /** Repeats a count until it is 0, or has not become less for that long. */
  async function untilNone(patienceMs: number, count: () => Promise<number>): Promise<number> {
    let last = -1;
    await untilNoneLeft(patienceMs, async () => {
      const counted = await count().catch(() => null);
      if (counted !== null) last = counted;
      return counted ?? Infinity;
    });
    return last;
  }

  return {
    seen,
    async stop() {
      stopped = Date.now();
      await running;
      const pool = createPool({ url: fixture.databaseUrl, max: 1 });
      const counted = async (from: string) =>
        (await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`)).rows[0]?.count ??
        0;
      try {
        await untilNone(AGENT_PATIENCE_MS, () => counted('bot_updates WHERE handled_at IS NULL'));
        seen.forgotten = await untilNone(AGENT_PATIENCE_MS, () =>
          counted(
            `tickets WHERE status <> 'closed' AND waiting_since IS NOT NULL AND NOT unanswered_reported`,
          ),
        );
        await untilNone(AGENT_PATIENCE_MS, async () => {
          const open = await openTickets();
          const ids = open.map(({ ticket_id }) => ticket_id);
          if (ids.length > 0) {
            await request('POST', '/v1/helpdesk/tickets/bulk', { ids, set: { status: 'closed' } });
          }
          return counted(`tickets WHERE status <> 'closed'`);
        });
        seen.closed = await counted(`tickets WHERE status = 'closed'`);
      } finally {
        await pool.end();
      }
    },
  };
}
