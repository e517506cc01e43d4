import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { root, sources } from '../../support/rooms';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createSession, lastBotMessage, openAndWait, startOf, statusInDatabase } from './fixture';

/** Only what the login causes: a sweep finds nothing that a notification has not found. */
jest.mock('../../../src/base/lib/sweep', () => ({ startSweep: () => ({ stop: () => {} }) }));

let database: TestDatabase;
let name: string;
let service: TestService;
let project: TestProject;

beforeAll(async () => {
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
  const admin = new Client({ connectionString: process.env['HERALD_TEST_DATABASE_URL'] ?? '' });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} SET log_statement = 'all'`);
  await admin.end();
  // Its own: PostgreSQL logs what it does, and it has no sweeps.
  service = await startTestService({ database });
  project = await service.createProject();
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const logFile = process.env['HERALD_TEST_POSTGRES_LOG'] ?? '';

/** The statements of this database in PostgreSQL's log, from a position on: by name, BEGIN and COMMIT as they are. */
async function statementsSince(position: number): Promise<string[]> {
  const log = (await readFile(logFile)).subarray(position).toString();
  return log.split('\n').flatMap((line) => {
    if (!line.startsWith(`${name} `)) return [];
    const found = /LOG: {2}(?:execute ([^:]+)|statement): (.*)/.exec(line);
    const [, prepared = '<unnamed>', text = ''] = found ?? [];
    if (!found) return [];
    return prepared === '<unnamed>' ? [text.slice(0, 60)] : [prepared];
  });
}

/**
 * What a step of the login sends, until nothing more follows it. Counters of requests are sent for many requests at once, and
 * lists of the dashboard once a second: they are not the login's own.
 */
const SHARED = new Set(['add_to_request_counters', 'notify_changes', 'count_unpaced_calls']);
/** Longer than any pause of the login's own. */
const QUIET_MS = 1_000;
async function statementsOf(step: () => Promise<unknown>): Promise<string[]> {
  const { size } = await stat(logFile);
  await step();
  let seen = { count: -1, at: 0 };
  await eventually(async () => {
    const count = (await statementsSince(size)).length;
    if (count !== seen.count) seen = { count, at: performance.now() };
    return performance.now() - seen.at > QUIET_MS;
  });
  return (await statementsSince(size)).filter(
    (each) => !SHARED.has(each) && !/^SELECT status FROM auth_sessions/.test(each),
  );
}

/** The statements of one login of a new user through an API session, by step. */
async function login(user: string): Promise<Record<string, string[]>> {
  let session: Awaited<ReturnType<typeof createSession>>;
  let code: unknown;
  const created = await statementsOf(async () => {
    session = await createSession(project);
  });
  const opened = await statementsOf(() =>
    openAndWait(service, 'telegram', user, startOf(session.telegram_link)),
  );
  const confirmed = await statementsOf(async () => {
    await service.control.tap('telegram', user, { button: 'Yes' });
    await eventually(async () => (await statusInDatabase(service, session.session_id)) === 'confirmed');
    await eventually(async () => (await lastBotMessage(service, 'telegram', user))?.edited);
  });
  const polled = await statementsOf(async () => {
    code = (await project.api('GET', `/v1/auth/session/${session.session_id}/status`)).body['code'];
  });
  const redeemed = await statementsOf(() => project.api('POST', '/v1/auth/verify', { code }));
  return { create: created, open: opened, confirm: confirmed, poll: polled, redeem: redeemed };
}

/** The table of the room's page. HERALD_RECORD_STATEMENTS=1 writes it. */
const page = path.join(root, 'src/domains/login/README.md');
const TABLE = /(?<=\| -+ \| -+ \| -+ \|\n)(?:\| (?:create|open|confirm|poll|redeem) .*\n)+/;

function tableOf(steps: Record<string, string[]>): string {
  const rows = Object.entries(steps).map(([step, statements]) => {
    const counts = new Map<string, number>();
    for (const each of statements.sort()) counts.set(each, (counts.get(each) ?? 0) + 1);
    const listed = [...counts].map(([each, count]) => `\`${each}\`${count > 1 ? ` ${count}×` : ''}`);
    return `| ${step} | ${statements.length} | ${listed.join(', ')} |\n`;
  });
  return rows.join('');
}

/** The statements of a step, by the table. */
function allowed(step: string): string[] {
  const line =
    TABLE.exec(readFileSync(page, 'utf8'))?.[0]
      .split('\n')
      .find((each) => each.startsWith(`| ${step} `)) ?? '';
  return [...line.matchAll(/`([^`]+)`(?: (\d+)×)?/g)].flatMap(([, each = '', count = '1']) =>
    Array(Number(count)).fill(each),
  );
}

/** Where a named statement stands. */
function fileOf(statement: string): string | undefined {
  const literal = new RegExp(`'${statement.replaceAll(/[^\w]/g, '.')}'`);
  return sources('src').find(
    (file) => literal.test(readFileSync(path.join(root, file), 'utf8')) && /queries|\/db\//.test(file),
  );
}

test('a login of a new user sends no statement that the table of its page does not have, in six transactions', async () => {
  // The first one also fills caches.
  await login('first');
  const steps = await login('second');
  if (process.env['HERALD_RECORD_STATEMENTS']) {
    writeFileSync(page, readFileSync(page, 'utf8').replace(TABLE, tableOf(steps)));
  }
  for (const [step, statements] of Object.entries(steps)) {
    const rest = allowed(step);
    const added = statements.filter((each) => {
      const place = rest.indexOf(each);
      if (place >= 0) rest.splice(place, 1);
      return place < 0;
    });
    expect({ step, added }).toEqual({ step, added: [] });
  }
  const all = Object.values(steps).flat();
  expect(all.filter((each) => fileOf(each) === undefined && !/^(BEGIN|COMMIT)$/.test(each))).toEqual([]);
  expect(all.filter((each) => each === 'BEGIN')).toHaveLength(6);
}, 90_000);
