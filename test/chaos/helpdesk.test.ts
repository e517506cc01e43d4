import type pg from 'pg';
import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import type { Installation, TestProject } from '../support/installation';
import { stablePort } from '../support/stable-port';
import { useService } from '../support/use-service';
import { eventsOf, freshName, subscribePerson, textsTo, type Person } from '../system/messages/fixture';

let service: Installation;
let project: TestProject;
let killed: HeraldProcess | undefined;
const holding: pg.PoolClient[] = [];

beforeAll(async () => {
  service = await useService();
  project = await service.createProject({ plan: 'basic' });
  await project.api('PATCH', '/v1/helpdesk', { enabled: true });
});
afterEach(async () => {
  await killed?.kill9();
  await release();
  await letCallsThrough();
});
afterAll(() => service.stop());

/** Holds the row locks of a statement until `release`. */
async function hold(sql: string, value: string): Promise<void> {
  const client = await service.pool.connect();
  holding.push(client);
  await client.query('BEGIN');
  await client.query(sql, [value]);
}

async function release(): Promise<void> {
  for (const client of holding.splice(0)) {
    await client.query('ROLLBACK');
    client.release();
  }
}

interface Reply {
  person: Person;
  ticketId: string;
  key: string;
  text: string;
}

async function openTicket(text: string): Promise<Reply> {
  const person = await subscribePerson(service, project);
  const body = { subscriber_id: person.subscriberId, text: 'Where is my order?' };
  const { body: ticket } = await project.api('POST', '/v1/helpdesk/tickets', body);
  return { person, ticketId: ticket.ticket_id, key: freshName('key'), text };
}

const send = ({ ticketId, key, text }: Reply, url: string) =>
  fetch(`${url}/v1/helpdesk/tickets/${ticketId}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${project.api_key}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ content: { text } }),
  });

async function statusOf({ ticketId }: Reply): Promise<string | undefined> {
  const { rows } = await service.pool.query<{ status: string }>(
    'SELECT status FROM messages WHERE source_id = $1',
    [ticketId],
  );
  return rows[0]?.status;
}

const arrived = async ({ person, text }: Reply) =>
  (await textsTo(service, person)).filter((each) => each.endsWith(`\n${text}`)).length;

async function eventsAbout({ ticketId, person }: Reply): Promise<string[]> {
  const events = await eventsOf(service, project);
  return events
    .filter(({ name, data }) =>
      name.startsWith('delivery.')
        ? data['subscriber_id'] === person.subscriberId
        : data['ticket_id'] === ticketId,
    )
    .map(({ name }) => name);
}

const letCallsThrough = () => service.control.faults('telegram', { clear: true });

/** The test takes the lock that the next step needs, and lets the call through. Short of the limit of a call (10 seconds). */
const slowly = ({ person }: Reply) =>
  service.control.faults('telegram', { method: 'sendMessage', delay_ms: 9_000, user: person.name });

/** The steps of a reply, each with what holds the process there, and what the agent and the customer see afterwards. */
const steps = {
  'before the call to the messenger': {
    holdAt: ({ person }: Reply) =>
      service.pool.query(
        `INSERT INTO chat_pace (chat, bot, next_at)
         SELECT hashtextextended('telegram/' || chat_id, 0), 'telegram', now() + interval '8 seconds' FROM subscribers WHERE id = $1
         ON CONFLICT (chat) DO UPDATE SET next_at = excluded.next_at`,
        [person.subscriberId],
      ),
    isThere: async (reply: Reply) => (await statusOf(reply)) === 'queued',
    delivery: { status: 'sent', reason: null },
  },
  'during the call': {
    // It takes effect, and its response comes too late for the process to see it.
    holdAt: ({ person }: Reply) =>
      service.control.faults('telegram', { method: 'sendMessage', delay_ms: 60_000, user: person.name }),
    isThere: async (reply: Reply) => (await statusOf(reply)) === 'sending',
    delivery: { status: 'failed', reason: 'unknown' },
  },
  'between the call and its record': {
    holdAt: slowly,
    isThere: async (reply: Reply) => {
      if ((await statusOf(reply)) !== 'sending') return false;
      await hold('SELECT 1 FROM subscribers WHERE id = $1 FOR UPDATE', reply.person.subscriberId);
      await letCallsThrough();
      return eventually(async () => (await arrived(reply)) === 1);
    },
    delivery: { status: 'failed', reason: 'unknown' },
  },
  'between the record and the response': {
    holdAt: slowly,
    isThere: async (reply: Reply) => {
      if ((await statusOf(reply)) !== 'sending') return false;
      await hold('SELECT 1 FROM idempotency_keys WHERE key = $1 FOR UPDATE', reply.key);
      await letCallsThrough();
      return eventually(async () => (await statusOf(reply)) === 'sent');
    },
    delivery: { status: 'sent', reason: null },
  },
};

test('kill -9 at every step of a reply: it arrives once or is reported as unknown, and no event is missing', async () => {
  const port = String(await stablePort());
  killed = await startSecondProcess(service, 'api', { PORT: port });
  const replies = await Promise.all(
    Object.entries(steps).map(async ([name, step]) => ({ ...(await openTicket(name)), step })),
  );
  const lost: Promise<unknown>[] = [];
  const bringThere = async (reply: (typeof replies)[number]) => {
    await reply.step.holdAt(reply);
    lost.push(send(reply, `http://127.0.0.1:${port}`).catch(() => null));
    await eventually(() => reply.step.isThere(reply));
  };
  // One after another, because the last two let all calls through. The first two last for seconds only, so they come last.
  for (const reply of [...replies].reverse()) await bringThere(reply);
  await killed.kill9();
  await Promise.all(lost);
  await release();
  await letCallsThrough();
  await service.pool.query('DELETE FROM chat_pace');

  for (const { step, ...reply } of replies) {
    // No process extends the lease of a dead one; the test does not wait for its end.
    await service.pool.query('UPDATE idempotency_keys SET leased_until = now() WHERE key = $1', [reply.key]);
    const again = await send(reply, service.url);
    expect([reply.text, again.status, await again.json()]).toEqual([
      reply.text,
      201,
      expect.objectContaining({ from: 'agent', text: reply.text, delivery: step.delivery }),
    ]);
    await eventually(async () => (await arrived(reply)) === 1);
    expect([reply.text, ...(await eventsAbout(reply))]).toEqual([
      reply.text,
      'ticket.created',
      'ticket.replied',
      'ticket.status_changed',
      step.delivery.status === 'sent' ? 'delivery.success' : 'delivery.failed',
    ]);
    const { body } = await project.api('GET', `/v1/helpdesk/tickets/${reply.ticketId}/messages`);
    expect(body.data.filter(({ from }: { from: string }) => from === 'agent')).toHaveLength(1);
  }
});
