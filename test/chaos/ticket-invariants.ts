import type pg from 'pg';
import type { Channel } from '../../src/base/contract/common';
import { createSimulatorControl } from '../support/simulator-control';
import type { ChaosFixture } from './fixture';
import type { Invariant } from './invariants';
import type { TicketsSeen } from './ticket-load';

/** What must be true of tickets after any disaster. */
export async function checkTickets(
  pool: pg.Pool,
  fixture: ChaosFixture,
  seen: TicketsSeen,
): Promise<Invariant[]> {
  return [
    await checkCustomers(pool, seen),
    await checkReplies(pool, fixture, seen),
    ...(await checkEvents(pool)),
    {
      invariant: 'the timers of tickets go on',
      holds: seen.forgotten === 0,
      detail: `${seen.closed} tickets, ${seen.forgotten} without an answer of which no event told`,
    },
  ];
}

async function checkCustomers(pool: pg.Pool, { written }: TicketsSeen): Promise<Invariant> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT text FROM ticket_messages WHERE sender = 'customer'`,
  );
  const found = new Map<string, number>();
  for (const { text } of rows) found.set(text, (found.get(text) ?? 0) + 1);
  const wrong = [...new Set([...written, ...found.keys()])].filter((text) => found.get(text) !== 1);
  return {
    invariant: 'every message of a customer is in one ticket, once',
    holds: wrong.length === 0 && written.size > 0,
    detail: `${written.size} messages, ${wrong.length} lost or doubled`,
  };
}

interface ReplyRecord {
  text: string;
  status: string | null;
  channel: Channel;
  platform_user_id: string;
}

async function checkReplies(
  pool: pg.Pool,
  { simulator }: ChaosFixture,
  { accepted }: TicketsSeen,
): Promise<Invariant> {
  const { rows } = await pool.query<ReplyRecord>(
    `SELECT m.text, d.status, s.channel, s.platform_user_id
     FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id JOIN subscribers s ON s.id = t.subscriber_id
       LEFT JOIN messages d ON d.request_id = m.id
     WHERE m.sender = 'agent'`,
  );
  const control = createSimulatorControl(simulator.url);
  const recorded = new Set(rows.map(({ text }) => text));
  const lost = [...accepted].filter((text) => !recorded.has(text));
  const wrong: string[] = [];
  let unknown = 0;
  for (const { text, status, channel, platform_user_id } of rows) {
    const { messages } = await control.chat(channel, platform_user_id);
    const arrived = messages.filter((message) => message.text.endsWith(`\n${text}`)).length;
    if (status !== 'sent') unknown += 1;
    if (arrived > 1 || (status === 'sent' && arrived !== 1)) wrong.push(text);
  }
  const doubled = rows.length - recorded.size;
  return {
    invariant: 'every reply arrives once, or its result says that it may not have',
    holds: lost.length === 0 && wrong.length === 0 && doubled === 0 && accepted.size > 0,
    detail: `${rows.length} replies, ${unknown} of them unknown, ${lost.length + wrong.length + doubled} wrong`,
  };
}

interface TicketEvent {
  name: string;
  data: Record<string, unknown>;
}

async function checkEvents(pool: pg.Pool): Promise<Invariant[]> {
  const { rows } = await pool.query<{ name: string; body: string }>(
    `SELECT name, body FROM events WHERE name LIKE 'ticket.%' ORDER BY seq`,
  );
  const events = rows.map(({ name, body }): TicketEvent => ({
    name,
    data: (JSON.parse(body) as TicketEvent).data,
  }));
  const keysOf = (name: string, ...fields: string[]) =>
    events
      .filter((event) => event.name === name)
      .map(({ data }) => fields.map((field) => String(data[field])).join(' '));
  const { rows: tickets } = await pool.query<{ id: string; status: string }>(
    'SELECT id, status FROM tickets',
  );
  // The first message of a ticket is told by `ticket.created`.
  const { rows: messages } = await pool.query<{ id: string }>(
    `SELECT m.id FROM ticket_messages m WHERE m.sender <> 'system' AND NOT m.internal AND EXISTS (
       SELECT 1 FROM ticket_messages e WHERE e.ticket_id = m.ticket_id AND e.created_at < m.created_at AND e.sender <> 'system')`,
  );
  const ids = (found: { id: string }[]) => found.map(({ id }) => id);
  const unanswered = keysOf('ticket.unanswered_24h', 'ticket_id', 'waiting_since');
  const wrong =
    difference(keysOf('ticket.created', 'ticket_id'), ids(tickets)) +
    difference(keysOf('ticket.replied', 'message_id'), ids(messages)) +
    (unanswered.length - new Set(unanswered).size);
  const broken = tickets.filter(({ id, status }) => !isChain(events, id, status)).length;
  const changes = keysOf('ticket.status_changed', 'ticket_id').length;
  return [
    {
      invariant: 'every ticket and message has its event, once',
      holds: wrong === 0,
      detail: `${events.length} events of ${tickets.length} tickets, ${unanswered.length} of unanswered ones, ${wrong} wrong`,
    },
    {
      invariant: 'the events of a ticket tell each change of its status',
      holds: broken === 0,
      detail: `${changes} changes, ${broken} tickets with a gap`,
    },
  ];
}

/** How many of both lists have no partner in the other one. */
function difference(some: string[], others: string[]): number {
  const rest = new Map<string, number>();
  for (const each of some) rest.set(each, (rest.get(each) ?? 0) + 1);
  for (const each of others) rest.set(each, (rest.get(each) ?? 0) - 1);
  return [...rest.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

/** Each change begins where the one before ended, the last at the ticket's status, and each close is told once more. */
function isChain(events: TicketEvent[], id: string, status: string): boolean {
  const own = events.filter(({ data }) => data['ticket_id'] === id);
  let current: unknown = 'new';
  let closes = 0;
  for (const { name, data } of own) {
    if (name === 'ticket.closed') closes -= 1;
    if (name !== 'ticket.status_changed') continue;
    if (data['previous'] !== current || data['status'] === current) return false;
    current = data['status'];
    if (current === 'closed') closes += 1;
  }
  return current === status && closes === 0;
}
