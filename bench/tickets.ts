import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { freePort } from '../src/base/lib/ports';
import { createSimulatorControl } from '../test/support/simulator-control';
import { call } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { percentile } from './numbers';
import { benchLoginsBeside } from './shares';
import type { Figure } from './table';
import { startHerald } from './worker-process';

/** Override with HERALD_BENCH_ROWS. */
const TICKETS = Number(process.env['HERALD_BENCH_ROWS'] ?? 100_000);
const REQUESTS = 200;
const INBOX_GOAL_MS = 200;
const CUSTOMERS = 100;
const ROUNDS = 3;
const ALONE = 60;

/**
 * An inbox of 100,000 tickets; 100 customers who write at once beside one who writes to an idle service; and logins beside a
 * flood of submissions on one form.
 */
export async function benchTickets(): Promise<Figure[]> {
  return [...(await benchInbox()), ...(await benchCustomers()), ...(await benchLoginsBeside(['form flood']))];
}

async function benchInbox(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const { pool } = bench.service.core;
  const url = bench.service.apiUrl ?? '';
  try {
    const project = await bench.createProject('inbox');
    const api = (method: string, path: string, body?: unknown) =>
      call(url, project.api_key, method, `/v1/helpdesk${path}`, body);
    await api('PATCH', '', { enabled: true });
    const type = { name_en: 'Delivery', name_ru: 'Доставка', priority: 'high', assignee_id: null };
    const { type_id: typeId = '' } = await api('POST', '/types', type);
    process.stderr.write('  inserting tickets\n');
    await insertTickets(pool, project.id, typeId);
    const { rows } = await pool.query<{ id: string; subscriber_id: string }>(
      'SELECT id, subscriber_id FROM tickets WHERE project_id = $1 AND number = $2',
      [project.id, Math.floor(TICKETS / 2)],
    );
    const [{ id, subscriber_id } = { id: '', subscriber_id: '' }] = rows;
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries({
      'open tickets': '/tickets?sort=updated&limit=50&open=true',
      counts: '/counts',
      'all tickets': '/tickets?sort=updated&limit=50',
      'closed ones': '/tickets?sort=updated&limit=50&open=false',
      'by status': '/tickets?sort=updated&limit=50&status=waiting',
      'by priority': '/tickets?sort=updated&limit=50&open=true&priority=urgent',
      'by type': `/tickets?sort=updated&limit=50&open=true&type_id=${typeId}`,
      'without an assignee': '/tickets?sort=updated&limit=50&open=true&assignee_id=none',
      overdue: '/tickets?sort=updated&limit=50&overdue=true',
      'on time': '/tickets?sort=updated&limit=50&overdue=false',
      'of a customer': `/tickets?sort=updated&limit=50&subscriber_id=${subscriber_id}`,
      'search for a word of one ticket': `/tickets?sort=updated&limit=50&q=rare${Math.floor(TICKETS / 2)}`,
      'search for a word of every ticket': '/tickets?sort=updated&limit=50&q=order',
      'search for two words of every ticket, open':
        '/tickets?sort=updated&limit=50&q=order%20arriv&open=true',
      'search for the beginning of words': '/tickets?sort=updated&limit=50&q=o',
      'search for a word of every closed ticket, urgent and open':
        '/tickets?sort=updated&limit=50&q=old&open=true&priority=urgent',
      'search for a word of no ticket': '/tickets?sort=updated&limit=50&q=lighthouse',
      'search for a number': `/tickets?sort=updated&limit=50&q=%23${TICKETS}`,
      'a ticket': `/tickets/${id}`,
      'its messages': `/tickets/${id}/messages?limit=50`,
    })) {
      figures.push(await measureInbox(name, () => api('GET', path)));
    }
    return figures;
  } finally {
    await bench.stop();
  }
}

/** A fifth of them open, of which half wait for the customer; three messages in each. */
async function insertTickets(pool: pg.Pool, projectId: string, typeId: string): Promise<void> {
  await pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', i::text, i::text, 'Customer ' || i, 'en' FROM generate_series(1, $2::int / 5) i`,
    [projectId, TICKETS],
  );
  await pool.query(
    `INSERT INTO tickets (id, project_id, number, subject, status, priority, type_id, source, subscriber_id, virtual,
       waiting_since, first_reply_at, first_reply_due_at, words, preview, created_at, closed_at, updated_at)
     SELECT gen_random_uuid(), $1, i, 'Order ' || i || ' has not arrived', status,
       (ARRAY['low', 'normal', 'high', 'urgent'])[1 + i % 4], CASE WHEN i % 3 = 0 THEN $2::uuid END, 'bot', s.id, false,
       CASE WHEN status IN ('new', 'in_progress') THEN at END, CASE WHEN status <> 'new' THEN at END, at + interval '1 day',
       array_to_tsvector(ARRAY(SELECT $4 || word FROM unnest(ARRAY['order', 'rare' || i, 'has', 'not', 'arrived', 'customer',
         i::text, CASE WHEN status = 'closed' THEN 'old' ELSE 'open' END]) AS word)),
       'Where is my order?', at, CASE WHEN status = 'closed' THEN at + interval '1 day' END, at
     FROM (SELECT i, now() - (${TICKETS} - i) * interval '90 days' / ${TICKETS} AS at,
         CASE i % 20 WHEN 0 THEN 'new' WHEN 1 THEN 'in_progress' WHEN 2 THEN 'waiting' WHEN 3 THEN 'waiting' ELSE 'closed' END
           AS status
       FROM generate_series(1, $3::int) i) AS made
       JOIN subscribers s ON s.project_id = $1 AND s.platform_user_id = (1 + i % ($3::int / 5))::text`,
    // As src/domains/helpdesk/words.ts marks words.
    [projectId, typeId, TICKETS, projectId.slice(0, 8)],
  );
  await pool.query(
    `INSERT INTO ticket_messages (id, ticket_id, sender, text, created_at)
     SELECT gen_random_uuid(), t.id, sender, 'Where is my order? It should have been here last week.', t.created_at
     FROM tickets t, unnest(ARRAY['customer', 'agent', 'customer']) AS sender WHERE t.project_id = $1`,
    [projectId],
  );
  await pool.query('UPDATE helpdesks SET last_number = $2 WHERE project_id = $1', [projectId, TICKETS]);
  await pool.query('VACUUM ANALYZE');
}

async function measureInbox(name: string, request: () => Promise<unknown>): Promise<Figure> {
  const durations: number[] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    const began = performance.now();
    await request();
    durations.push(performance.now() - began);
  }
  durations.sort((a, b) => a - b);
  const [p50, p99] = [percentile(durations, 0.5), percentile(durations, 0.99)];
  return {
    name: `inbox of ${TICKETS.toLocaleString('en')} tickets, ${name}: p99`,
    value: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)} ms)`,
    baseline: `goal ${INBOX_GOAL_MS} ms`,
    ratio: p99 / INBOX_GOAL_MS,
    target: 1,
    atMost: true,
  };
}

async function benchCustomers(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const port = await freePort();
  const herald = await startHerald(bench, { roles: 'api,worker,bots', env: { PORT: String(port) } });
  try {
    const project = await bench.createProject('support');
    const url = `http://127.0.0.1:${port}`;
    await call(url, project.api_key, 'PATCH', '/v1/helpdesk', { enabled: true });
    const customers = customersOf(bench, project.slug);
    await customers.write(10);
    const alone: number[] = [];
    for (let n = 0; n < ALONE; n += 1) alone.push(...(await customers.write(1)));
    const together: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) together.push(...(await customers.write(CUSTOMERS)));
    return [answersFigure(together, alone)];
  } finally {
    await herald.stop();
    await bench.stop();
  }
}

/** Customers who have opened the support link, and write their first message at the same moment. */
function customersOf({ environment }: BenchEnvironment, slug: string) {
  const control = createSimulatorControl(environment.simulator?.url ?? '');
  let user = 0;
  /** When each of the bot's next messages came, after `act` began; every one counts from the same moment. */
  async function answers(count: number, act: () => Promise<unknown>): Promise<number[]> {
    const before = (await control.stats('telegram')).messages_sent;
    const began = performance.now();
    const acting = act();
    const times: number[] = [];
    while (times.length < count) {
      const { messages_sent } = await control.stats('telegram');
      const now = performance.now() - began;
      while (times.length < Math.min(count, messages_sent - before)) times.push(now);
      await sleep(2);
    }
    await acting;
    return times;
  }
  return {
    async write(count: number): Promise<number[]> {
      const users = Array.from({ length: count }, () => `customer-${user++}`);
      const each = (act: (name: string) => Promise<unknown>) => () => Promise.all(users.map(act));
      await answers(
        count,
        each((name) => control.open('telegram', name, { start: `help_${slug}` })),
      );
      return answers(
        count,
        each((name) => control.say('telegram', name, 'Where is my order?')),
      );
    },
  };
}

function answersFigure(together: number[], alone: number[]): Figure {
  const at = (times: number[], share: number) =>
    percentile(
      [...times].sort((a, b) => a - b),
      share,
    );
  const shown = (times: number[]) => `${at(times, 0.99).toFixed(0)} ms (p50 ${at(times, 0.5).toFixed(0)} ms)`;
  return {
    name: `first answer of the bot, ${CUSTOMERS} customers at once: p99`,
    value: shown(together),
    baseline: `idle ${shown(alone)}`,
    ratio: at(together, 0.99) / at(alone, 0.99),
  };
}
