import { readFile, stat } from 'node:fs/promises';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { startTestService, type TestService } from '../../support/service';
import { confirmedSession, createSession } from '../login/fixture';
import { eventually } from '../../support/eventually';
import { endExpiredLeases } from '../../../src/domains/webhooks/queries/queue';
import { createEndpoint, scriptedReceiver } from '../webhooks/fixture';

/** Tables that grow without end in production. */
const GROWING = [
  'auth_sessions',
  'auth_prompts',
  'auth_answers',
  'bot_updates',
  'subscribers',
  'events',
  'deliveries',
  'attempts',
  'credit_ledger',
  'messages',
  'broadcast_recipients',
];
const ROWS = 30_000;

interface LogPage {
  data: unknown[];
  next_cursor: string | null;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    `auto_explain.log_format = 'json'`,
    `log_statement = 'all'`,
  ]) {
    await database.pool.query(`ALTER DATABASE ${name} SET ${setting}`);
  }
  // Its own: PostgreSQL logs every statement of its database, with the plan.
  service = await startTestService({ database, queues: ['logins', 'deliveries'] });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

interface Statement {
  text: string;
  plans: Plan[];
}

/** The prepared statements that the database has executed since its log was so long, by name, with the plans it used. */
async function executedSince(length: number): Promise<Map<string, Statement>> {
  const log = (await readFile(process.env['HERALD_TEST_POSTGRES_LOG'] ?? '')).subarray(length).toString();
  const name = new URL(database.url).pathname.slice(1);
  // Continued lines begin with a tab.
  const entries = log.split(/\n(?!\t)/).map((entry) => entry.replaceAll('\n\t', '\n'));
  const statements = new Map<string, Statement>();
  const byText = new Map<string, Statement>();
  for (const entry of entries.filter((each) => each.startsWith(`${name} LOG:  `))) {
    const [, statement = '', text = ''] = /LOG: {2}execute (\w+): ([^]*)$/.exec(entry) ?? [];
    if (statement && !statements.has(statement)) {
      const known = byText.get(text) ?? { text, plans: [] };
      statements.set(statement, known);
      byText.set(text, known);
    }
    const [, json] = /LOG: {2}duration: [^\n]*plan:\n([^]*)$/.exec(entry) ?? [];
    if (json === undefined) continue;
    const { 'Query Text': query, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Plan };
    byText.get(query)?.plans.push(plan);
  }
  return statements;
}

const logLength = async () => (await stat(process.env['HERALD_TEST_POSTGRES_LOG'] ?? '')).size;

async function grow(projectId: string, endpointId: string): Promise<void> {
  const sql = [
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, external_id)
     SELECT $1, 'telegram', 'grown-' || i, i, 'G', 'en', 'ext-' || i FROM generate_series(1, ${ROWS}) i`,
    `INSERT INTO auth_sessions (project_id, flow, number, status, start_hash, hosted_hash, code_hash, created_at, expires_at, workflow_started_at)
     SELECT $1, 'session', 1000000 + i, 'consumed', sha256(('s' || i)::bytea), sha256(('h' || i)::bytea), sha256(('c' || i)::bytea),
       now() - interval '2 days', now() - interval '2 days', now() FROM generate_series(1, ${ROWS}) i`,
    `INSERT INTO auth_prompts (session_id, nonce_hash, channel, chat_id, platform_user_id, update_id, message_id, closed_at)
     SELECT id, sha256(id::text::bytea), 'telegram', 'x', 'x', -number, '1', now() FROM auth_sessions WHERE project_id = $1`,
    `INSERT INTO auth_answers (update_id, session_id, answer, first_name, received_at, prompt_id)
     SELECT -number, id, 'yes', 'G', now(), 1 FROM auth_sessions WHERE project_id = $1`,
    `INSERT INTO credit_ledger (session_id, project_id, source) SELECT id, project_id, 'plan' FROM auth_sessions WHERE project_id = $1`,
    `INSERT INTO bot_updates (channel, dedupe_key, chat_queue, handled_at)
     SELECT 'telegram', 'grown-' || i, 'user:' || i, now() FROM generate_series(1, ${ROWS}) i WHERE $1::uuid IS NOT NULL`,
    `INSERT INTO messages (project_id, request_id, source, source_id, subscriber_id, channel, status)
     SELECT project_id, gen_random_uuid(), CASE WHEN source_id IS NULL THEN 'send' ELSE 'drip' END, source_id, id, channel, 'sent'
     FROM (SELECT s.*, CASE WHEN random() < 0.5 THEN gen_random_uuid() END AS source_id FROM subscribers s
           WHERE project_id = $1 LIMIT ${ROWS / 3}) s`,
    `INSERT INTO broadcasts (project_id, content, audience, status, sent, failed, skipped, possible_duplicates, ended_at)
     SELECT $1, '{"text": "x", "format": "plain", "buttons": []}', '{}', 'completed', 0, 0, 0, 0, now()
     FROM generate_series(1, ${ROWS / 300})`,
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, status, reason, ended_at)
     SELECT b.id, gen_random_uuid(), 'telegram', CASE WHEN i = 1 THEN 'failed' ELSE 'sent' END,
       CASE WHEN i = 1 THEN 'unknown' END, now()
     FROM broadcasts b, generate_series(1, 100) i WHERE b.project_id = $1`,
    `INSERT INTO events (project_id, name, body) SELECT $1, 'auth.completed', '{}' FROM generate_series(1, ${ROWS}) i`,
  ];
  for (const text of sql) await service.pool.query(text, [projectId]);
  await service.pool.query(
    `INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status, ended_at, next_attempt_at, created_at)
     SELECT project_id, $1, id, name, 'durable', 'succeeded', now(), NULL, now() - interval '1 day' FROM events`,
    [endpointId],
  );
  await service.pool.query(
    `INSERT INTO attempts (delivery_id, number, requested, finished_at) SELECT id, 1, false, now() FROM deliveries`,
  );
  for (const table of GROWING) await service.pool.query(`ANALYZE ${table}`);
}

function sequentialScans(plan: Plan): string[] {
  const own =
    plan['Node Type'] === 'Seq Scan' && GROWING.includes(plan['Relation Name'] ?? '')
      ? [plan['Relation Name'] ?? '']
      : [];
  return [...own, ...(plan.Plans ?? []).flatMap(sequentialScans)];
}

/** What must be among the statements that are looked at. */
const expected = [
  'poll_sessions',
  'consume_codes',
  'insert_session_if_it_fits',
  'claim_unstarted_sessions',
  'confirm_session',
  'insert_events',
  'fan_out',
  'claim_attempt',
  'record_attempt',
  'lock_endpoints_workflow',
  'claim_workflow',
  'lock_endpoints_express',
  'claim_slotless',
  'claim_express',
  'end_expired_leases',
  'list_deliveries',
  'find_scan_end',
  'list_messages',
  'list_messages_of_source',
  'list_messages_of_subscriber',
  'list_broadcast_messages',
  'list_broadcast_messages_of_source',
  'list_broadcast_messages_of_subscriber',
  'list_broadcast_results',
  'count_job_reasons',
  'count_unsubscribed_of_job',
  'count_failed_recipients',
  'copy_failed_recipients',
];

test('no statement of a login, a poll, a verification, a delivery or the log of messages scans a grown table', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
  const endpoint = await project.api('POST', '/v1/webhooks', {
    url: 'http://127.0.0.1:9/',
    retry_policy: 'quick',
  });
  expect(endpoint.status).toBe(201);
  const receiver = await scriptedReceiver(200);
  for (const url of [receiver.url, 'http://127.0.0.1:9/']) {
    await createEndpoint(project, url, { delivery_lane: 'express' });
  }
  await grow(project.id, String(endpoint.body.id));
  const before = await logLength();
  const { status } = await confirmedSession(service, project, 'planner', {
    body: { client_ip: '203.0.113.9' },
  });
  await project.api('POST', '/v1/auth/verify', { code: status.code });
  await project.api('POST', '/v1/auth/verify', { code: 'unknown' });
  const session = await createSession(project);
  await fetch(session.qr_url);
  await project.api('GET', `/v1/webhooks/${String(endpoint.body.id)}/deliveries?event=auth.completed`);
  const { body: jobs } = await project.api('GET', '/v1/broadcast?limit=1');
  const jobId = String(jobs.data[0].job_id);
  const { body: people } = await project.api('GET', '/v1/subscribers?limit=1');
  const person = String(people.data[0].subscriber_id);
  for (const query of ['status=failed', `source_id=${jobId}`, `subscriber_id=${person}`, 'source=otp']) {
    expect((await project.api('GET', `/v1/messages?${query}`)).status).toBe(200);
  }
  for (const path of [`/v1/broadcast/${jobId}/results`, `/v1/broadcast/${jobId}/stats`]) {
    expect((await project.api('GET', path)).status).toBe(200);
  }
  await service.pool.query(
    `UPDATE broadcast_recipients SET subscriber_id = $2 WHERE broadcast_id = $1 AND status = 'failed'`,
    [jobId, person],
  );
  expect((await project.api('POST', `/v1/broadcast/${jobId}/retry`)).status).toBe(202);
  await service.control.open('telegram', 'planner', { start: `auth_${project.slug}` });
  // Its sweep runs it only where a lease has expired.
  await endExpiredLeases(service.service.core.pool, 10);
  const seen = await eventually(async () => {
    const { rows } = await service.pool.query(
      'SELECT 1 FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.ended_at IS NULL AND a.finished_at IS NOT NULL',
    );
    const executed = await executedSince(before);
    expect(expected.filter((name) => !executed.get(name)?.plans.length)).toEqual([]);
    return rows.length > 0 ? executed : undefined;
  });
  await receiver.close();

  const scans: string[] = [];
  for (const [name, { text, plans }] of seen) {
    for (const plan of plans) scans.push(...sequentialScans(plan).map((table) => `${name} scans ${table}`));
    // The plan for any values, which PostgreSQL may use later.
    const { rows } = await service.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`,
    );
    const generic = rows[0]!['QUERY PLAN'][0]!.Plan;
    scans.push(...sequentialScans(generic).map((table) => `${name} scans ${table} (generic)`));
  }
  expect(scans).toEqual([]);

  // An event that never occurs: each page ends after a part of the log, and the next one goes on there.
  for (const path of [`/v1/webhooks/${String(endpoint.body.id)}/deliveries`, '/v1/deliveries']) {
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { status, body }: { status: number; body: LogPage } = await project.api<LogPage>(
        'GET',
        `${path}?event=otp.sent${cursor && `&cursor=${cursor}`}`,
      );
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
      cursor = body.next_cursor;
    }
    expect(pages).toBe(Math.ceil((ROWS + 1) / 10_000));
  }
});
