import pg from 'pg';
import { startTestService, type TestService } from '../../support/service';
import { confirmedSession, createSession } from '../login/fixture';
import { eventually } from '../../support/eventually';
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
];
const ROWS = 30_000;

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

interface LogPage {
  data: unknown[];
  next_cursor: string | null;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

let service: TestService;
const seen = new Map<string, Statement>();
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.stop();
});

/** Remembers every prepared statement that the service sends while `work` runs. */
async function recording(work: () => Promise<void>): Promise<void> {
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const [config] = args as [{ name?: string; text?: string; values?: unknown[] }];
    if (config?.name && config.text) {
      seen.set(config.name, { name: config.name, text: config.text, values: config.values ?? [] });
    }
    return query.apply(this, args);
  } as never);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
}

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
    `INSERT INTO bot_updates (channel, dedupe_key, lane, handled_at)
     SELECT 'telegram', 'grown-' || i, 'user:' || i, now() FROM generate_series(1, ${ROWS}) i WHERE $1::uuid IS NOT NULL`,
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
  'seconds_until_session_fits',
  'insert_session',
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
  'record_successes',
  'end_expired_leases',
  'note_full_endpoints',
  'list_deliveries',
  'find_scan_end',
];

test('no statement of a login, a poll, a verification or a delivery scans a grown table', async () => {
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
  await recording(async () => {
    const { status } = await confirmedSession(service, project, 'planner', {
      body: { client_ip: '203.0.113.9' },
    });
    await project.api('POST', '/v1/auth/verify', { code: status.code });
    await project.api('POST', '/v1/auth/verify', { code: 'unknown' });
    const session = await createSession(project);
    await fetch(session.qr_url);
    await project.api('GET', `/v1/webhooks/${String(endpoint.body.id)}/deliveries?event=auth.completed`);
    await service.control.open('telegram', 'planner', { start: `auth_${project.slug}` });
    await eventually(async () => {
      const { rows } = await service.pool.query(
        'SELECT 1 FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.ended_at IS NULL AND a.finished_at IS NOT NULL',
      );
      return rows.length > 0 && expected.every((name) => seen.has(name));
    });
  });
  await receiver.close();
  expect(expected.filter((name) => !seen.has(name))).toEqual([]);

  const scans: string[] = [];
  const explain = (options: string, { text }: Statement, values?: unknown[]) =>
    service.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (${options}) ${text}`, values);
  for (const statement of seen.values()) {
    const plans = {
      // For these values, and for any: PostgreSQL uses either.
      custom: await explain('FORMAT JSON', statement, statement.values),
      generic: await explain('FORMAT JSON, GENERIC_PLAN', statement),
    };
    for (const [kind, { rows }] of Object.entries(plans)) {
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      if (!plan) throw new Error(`${statement.name} has no ${kind} plan`);
      scans.push(...sequentialScans(plan).map((table) => `${statement.name} scans ${table} (${kind})`));
    }
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
