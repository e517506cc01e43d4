import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { eventually } from '../../support/eventually';
import { userEnvironment } from '../../support/npm-start';
import { startTestService, type TestService } from '../../support/service';
import { createEndpoint } from '../webhooks/fixture';
import { cli, herald, settingsOf } from './fixture';

jest.setTimeout(120_000);

let service: TestService;
let settings: Record<string, string>;

beforeAll(async () => {
  // Its own: it looks at the whole installation.
  service = await startTestService();
  settings = settingsOf(service);
  const project = await service.createProject();
  await createEndpoint(project, 'http://127.0.0.1:9/');
});
afterAll(() => service?.stop());

interface Check {
  check: string;
  status: string;
  message: string;
  advice: string | null;
}

async function examine(more: Record<string, string> = {}): Promise<{ code: number | null; checks: Check[] }> {
  const { code, stdout } = await herald(['doctor', '--json'], { ...settings, ...more });
  const { checks, healthy } = JSON.parse(stdout) as { healthy: boolean; checks: Check[] };
  expect(healthy).toBe(code === 0);
  return { code, checks };
}

/** The problems that a changed setting brings. */
async function problems(more: Record<string, string> = {}): Promise<Check[]> {
  const { code, checks } = await examine(more);
  expect(code).toBe(1);
  return checks.filter(({ status }) => status === 'problem');
}

test('a healthy installation is found to be healthy, part by part', async () => {
  const { code, checks } = await eventually(async () => {
    const examined = await examine();
    expect(examined.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    return examined;
  });
  expect(code).toBe(0);
  expect(checks.map(({ check }) => check)).toEqual([
    'settings',
    'temporal',
    'search attributes',
    ...['logins', 'deliveries', 'broadcasts', 'campaigns'].map(
      (queue) => `task queue ${service.queuePrefix}-${queue}`,
    ),
    'database',
    'migrations',
    'clock',
    'bot updates',
    'own bots',
    'sessions',
    'deliveries',
    'campaigns',
    'encryption key',
    'bot telegram',
    'webhook telegram',
    'bot max',
    'webhook max',
  ]);
  const { stdout } = await herald(['doctor'], settings);
  expect(stdout).toMatch(/^ok +database +PostgreSQL \d+/m);
});

test('a setting that is unsafe in production is a warning, with which the installation still counts as healthy', async () => {
  const { code, checks } = await examine({ HERALD_ALLOW_LOCAL_WEBHOOKS: 'true' });
  expect(code).toBe(0);
  expect(checks.filter(({ status }) => status === 'warning')).toEqual([
    {
      check: 'settings',
      status: 'warning',
      message: expect.stringContaining('HERALD_ALLOW_LOCAL_WEBHOOKS is true'),
      advice: 'See docs/security.md.',
    },
  ]);
});

/** What the command writes to standard error if its process ends by itself, when nothing is open any more. */
async function errorsWithoutExit(more: Record<string, string>): Promise<string> {
  const script = `process.exit = () => {}; process.argv = ['node', 'doctor']; require(${JSON.stringify(cli)})`;
  const child = spawn(process.execPath, ['-e', script], {
    env: userEnvironment({ ...settings, ...more }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return text(child.stderr);
}

test('a part that is unavailable is named, with what to do, and the others are examined all the same', async () => {
  const away = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const [noTemporal, afterwards] = await Promise.all([problems(away), errorsWithoutExit(away)]);
  expect(noTemporal).toEqual([
    expect.objectContaining({
      check: 'temporal',
      message: 'The Temporal server does not respond.',
      advice: expect.stringContaining('127.0.0.1:1'),
    }),
  ]);
  expect(afterwards).toBe('');
  const noDatabase = await problems({ DATABASE_URL: 'postgres://a:hunter2@127.0.0.1:1/b' });
  expect(noDatabase[0]).toMatchObject({ check: 'database', message: 'Cannot connect to the database.' });
  expect(JSON.stringify(noDatabase)).not.toContain('hunter2');
  const noWorker = await problems({ HERALD_TASK_QUEUE_PREFIX: 'nobody-polls' });
  expect(noWorker.map(({ check }) => check)).toEqual([
    'task queue nobody-polls-logins',
    'task queue nobody-polls-deliveries',
    'task queue nobody-polls-broadcasts',
    'task queue nobody-polls-campaigns',
  ]);
});

test('a wrong encryption key and a missing one are distinguished', async () => {
  const [wrong] = await problems({ HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') });
  expect(wrong).toMatchObject({
    check: 'encryption key',
    message: 'key k1 cannot decrypt endpoint_secrets.sealed',
  });
  const [missing] = await problems({ HERALD_ENCRYPTION_KEY: `k2:${Buffer.alloc(32, 8).toString('base64')}` });
  expect(missing?.message).toMatch(/are encrypted with key k1, which is missing/);
});

test('a revoked bot token and a webhook that points elsewhere are found', async () => {
  const [revoked] = await problems({ TELEGRAM_BOT_TOKEN: '1000002:revoked-telegram-bot-token' });
  expect(revoked).toMatchObject({
    check: 'bot telegram',
    message: 'the platform rejects the token',
    advice: expect.stringContaining('TELEGRAM_BOT_TOKEN'),
  });
  const away = await examine({ TELEGRAM_API_ROOT: 'http://127.0.0.1:1', HERALD_BOT_UPDATES: 'webhook' });
  expect(away.checks).toContainEqual({
    check: 'webhook telegram',
    status: 'not_checked',
    message: 'never registered; the platform cannot be asked now',
    advice: null,
  });
  const elsewhere = await problems({
    HERALD_BOT_UPDATES: 'webhook',
    HERALD_PUBLIC_URL: 'https://herald.example',
  });
  expect(elsewhere.map(({ check, message }) => [check, message])).toEqual([
    ['webhook telegram', 'no webhook is set; expected https://herald.example/bots/telegram'],
    ['webhook max', 'no webhook is set; expected https://herald.example/bots/max'],
  ]);
});

test('a webhook that the platform has refused is shown with its reason', async () => {
  await service.pool.query(
    `INSERT INTO bot_webhooks (bot, url, error, attempted_at)
     VALUES ('telegram', 'https://herald.example/bots/telegram', 'invalid_message: bad webhook', now())`,
  );
  const found = await problems({
    HERALD_BOT_UPDATES: 'webhook',
    HERALD_PUBLIC_URL: 'https://herald.example',
  });
  expect(found[0]).toMatchObject({
    check: 'webhook telegram',
    message:
      'no webhook is set; expected https://herald.example/bots/telegram; the last attempt to register it failed: invalid_message: bad webhook',
  });
});

test('late messages are named by kind', async () => {
  const { pool } = service;
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO scheduled (id, project_id, content, scheduled_at, next_at)
     SELECT gen_random_uuid(), id, '{}', 'x', now() - interval '1 hour' FROM projects RETURNING id`,
  );
  const { rows: recurring } = await pool.query<{ id: string }>(
    `INSERT INTO recurring (id, project_id, name, content, audience, cron, timezone, next_at)
     SELECT gen_random_uuid(), id, 'Weekly', '{}', '{}', '0 9 * * MON', 'UTC', now() - interval '2 hours'
     FROM projects RETURNING id`,
  );
  const found = await problems();
  expect(found.map(({ check, message }) => [check, message])).toEqual([
    [
      'campaigns',
      `scheduled: 1 late, the oldest by 60 min (${rows[0]?.id}); ` +
        `recurring: 1 late, the oldest by 120 min (${recurring[0]?.id})`,
    ],
  ]);
  await pool.query('DELETE FROM scheduled');
  await pool.query('DELETE FROM recurring');
  expect((await examine()).code).toBe(0);
});

test('updates set aside, late sessions and overdue deliveries are counted', async () => {
  const { pool } = service;
  await pool.query(
    `INSERT INTO bot_updates (channel, dedupe_key, chat_queue, failures, set_aside_at) VALUES ('telegram', 'x', 'user:1', 5, now())`,
  );
  await pool.query(
    `INSERT INTO auth_sessions (project_id, flow, status, workflow_started_at, expires_at)
     SELECT id, 'session', 'pending', now(), now() - interval '1 hour' FROM projects`,
  );
  await pool.query(
    `WITH event AS (
       INSERT INTO events (project_id, name, body) SELECT id, 'auth.completed', '{}' FROM projects RETURNING id, project_id)
     INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, started, next_attempt_at, overdue_at)
     SELECT v.project_id, e.id, v.id, 'auth.completed', 'durable', true, now() - interval '1 hour', now() - interval '50 minutes'
     FROM event v JOIN endpoints e ON e.project_id = v.project_id`,
  );
  // Locked, so that the workflows, which the relays start again, cannot end them meanwhile.
  const holder = await pool.connect();
  await holder.query(`BEGIN; SELECT 1 FROM auth_sessions WHERE status = 'pending' FOR UPDATE;
    SELECT 1 FROM deliveries FOR UPDATE`);
  const found = await problems().finally(async () => {
    await holder.query('ROLLBACK');
    holder.release();
  });
  expect(found.map(({ check, message }) => [check, message])).toEqual([
    ['bot updates', '1 set aside after repeated failures'],
    ['sessions', '1 overdue'],
    ['deliveries', '1 overdue'],
  ]);
  const { stdout } = await herald(['doctor'], settings);
  expect(stdout).toMatch(/^PROBLEM +bot updates +1 set aside.*\n +→ See bot_updates\.last_error/m);
});
