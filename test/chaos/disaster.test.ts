import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDataDir, type DataDir } from '../../src/local/data-dir';
import type { Simulator } from '../../src/local/simulator';
import { findTemporalCli } from '../../src/local/temporal/cli';
import { startTemporalServer, type RunningTemporalServer } from '../../src/local/temporal/server';
import { searchAttributeTypes, workflowIds } from '../../src/base/temporal/names';
import { herald, heraldJson, settingsOf } from '../system/cli/fixture';
import {
  confirmedSession,
  createSession,
  eventsOf,
  linkOf,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
} from '../system/login/fixture';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { startTestSimulator } from '../support/simulator';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  type ScriptedReceiver,
} from '../system/webhooks/fixture';

jest.setTimeout(480_000);

/** A second of the schedule takes 300 ms: attempts at 0, 9, 36 and 180 seconds. */
const SCALE = 0.3;
const PLACES = [0, 30, 120, 600];
const env = {
  HERALD_RETRY_SCALE: String(SCALE),
  HERALD_SESSION_TTL_SECONDS: '110',
  HERALD_CODE_TTL_SECONDS: '70',
};

let directory: string;
let dataDir: DataDir;
let receiver: ScriptedReceiver;
let temporal: RunningTemporalServer;
let database: TestDatabase;
let simulator: Simulator;
let service: TestService;
let project: TestProject;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-disaster-'));
  dataDir = await openDataDir(path.join(directory, 'data'));
  receiver = await scriptedReceiver(503);
  database = await createTestDatabase();
  simulator = await startTestSimulator();
  temporal = await startTemporal();
  // Its own: it loses its Temporal server.
  service = await startTestService({ env, temporalAddress: temporal.address, database, simulator });
  project = await service.createProject();
});

afterAll(async () => {
  await service?.stop();
  await temporal?.stop();
  await simulator?.stop();
  await receiver?.close();
  await database?.drop();
  await dataDir?.close();
  await rm(directory, { recursive: true, force: true });
});

async function startTemporal(): Promise<RunningTemporalServer> {
  return startTemporalServer({
    cliPath: await findTemporalCli({ configured: process.env['HERALD_TEMPORAL_CLI'], onProgress: () => {} }),
    dataDir,
    port: 0,
    uiPort: null,
    dbFile: null,
    searchAttributes: searchAttributeTypes,
  });
}

const at = (time: string | null) => Date.parse(time ?? '');

interface Recovered {
  sessions_open: number;
  sessions_restarted: number;
  deliveries_open: number;
  deliveries_restarted: number;
  scheduled_open: number;
  enrolments_open: number;
  recurring_open: number;
}

/** A message, a broadcast and an enrolment of one subscriber, all for much later. */
async function scheduleAll({ api, id }: TestProject) {
  const subscriber = await service.pool.query<{ id: string }>(
    'SELECT id FROM subscribers WHERE project_id = $1 LIMIT 1',
    [id],
  );
  const content = { text: 'later' };
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await api('POST', '/v1/scheduled', { content, external_id: 'a', scheduled_at: later });
  const recurring = await api('POST', '/v1/recurring', {
    name: 'Yearly',
    content,
    audience: {},
    cron: '0 0 1 1 *',
    start_at: later,
  });
  const chain = await api('POST', '/v1/drip-chains', {
    name: 'Slow',
    trigger: { type: 'manual' },
    steps: [{ id: 'wait', type: 'delay', minutes: 1440 }],
    status: 'active',
  });
  const enrolled = await api('POST', `/v1/drip-chains/${chain.body.drip_id}/enrolments`, {
    subscriber_id: subscriber.rows[0]?.id,
  });
  return {
    workflows: [
      workflowIds.scheduled(scheduled.body.scheduled_id),
      workflowIds.drip(enrolled.body.data[0].enrolment_id),
      workflowIds.recurring(recurring.body.recurring_id),
    ],
    paths: [
      `/v1/scheduled/${scheduled.body.scheduled_id}`,
      `/v1/recurring/${recurring.body.recurring_id}`,
      `/v1/drip-chains/${chain.body.drip_id}`,
    ],
  };
}

test("Temporal's store is lost and Postgres kept: herald recover lets everything end as it would have, under the same ids", async () => {
  const endpoint = await createEndpoint(project, receiver.url, { events: ['broadcast.completed'] });
  const resting = await createEndpoint(project, receiver.url, { events: ['batch.completed'] });

  // Waiting for the third place of its schedule, and for the second.
  const waiting = await emitOne(service, project, endpoint.id, 'broadcast.completed');
  await untilAttempts(project, waiting, 2);
  const missing = await emitOne(service, project, endpoint.id, 'broadcast.completed');
  await untilAttempts(project, missing, 1);
  const cancelled = await emitOne(service, project, endpoint.id, 'broadcast.completed');
  await untilAttempts(project, cancelled, 1);
  await project.api('POST', `/v1/deliveries/${cancelled}/cancel`);

  // Asked and not answered, never opened, confirmed and not yet used, used.
  const asked = await createSession(project);
  await openAndWait(service, 'telegram', 'asked', startOf(linkOf(asked, 'telegram')));
  const unopened = await createSession(project);
  const { session: confirmed } = await confirmedSession(service, project, 'confirmed');
  const { session: used, status } = await confirmedSession(service, project, 'used');
  expect((await project.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);

  // For later: a message, a recurring broadcast, and a subscriber who waits in a chain.
  const later = await scheduleAll(project);

  // What has not been started is not lost with the server, so it would not count as recovered.
  await eventually(async () => {
    const { rows } = await service.pool.query(
      'SELECT 1 FROM auth_sessions WHERE workflow_started_at IS NULL',
    );
    return rows.length === 0;
  });

  // Waiting for its endpoint: the last one, because its workflow ends at its second place, nine seconds after the first.
  const paused = await emitOne(service, project, resting.id, 'batch.completed');
  await untilAttempts(project, paused, 1);
  await project.api('PUT', `/v1/webhooks/${resting.id}`, { status: 'disabled' });

  // The disaster: a server with an empty store at the same installation.
  await service.stop();
  await temporal.stop();
  temporal = await startTemporal();
  const { queuePrefix } = service;
  service = await startTestService({
    env,
    temporalAddress: temporal.address,
    database,
    simulator,
    queuePrefix,
  });
  const settings = { ...settingsOf(service), TEMPORAL_ADDRESS: temporal.address };
  project = { ...project, api: service.apiWith(project.api_key) };

  const recovered = await heraldJson<Recovered>(['recover'], settings);
  expect(recovered).toEqual({
    sessions_open: 3,
    sessions_restarted: 3,
    deliveries_open: 3,
    deliveries_restarted: 3,
    scheduled_open: 1,
    enrolments_open: 1,
    recurring_open: 1,
  });
  for (const id of later.workflows) {
    const handle = service.client.workflow.getHandle(id);
    await eventually(async () => (await handle.describe()).status.name === 'RUNNING');
  }
  for (const place of later.paths) expect((await project.api('DELETE', place)).status).toBeLessThan(300);
  // An operator who is not sure runs it again.
  await eventually(async () => {
    const again = await heraldJson<Recovered>(['recover'], settings);
    return again.sessions_restarted === 0 && again.deliveries_restarted === 0;
  });

  // Sessions: the tap still counts, once.
  await service.control.tap('telegram', 'asked', { button: 'Yes' });
  await waitForStatus(service, asked.session_id, 'confirmed');
  const { body } = await project.api('GET', `/v1/auth/session/${asked.session_id}/status`);
  expect((await project.api('POST', '/v1/auth/verify', { code: body.code })).status).toBe(200);

  // Deliveries: at their place in the schedule, or at once where that went by; under the same id and numbers.
  await untilAttempts(project, missing, 2);
  receiver.behave(200);
  for (const id of [waiting, missing]) {
    const delivered = await untilStatus(project, id, 'succeeded', 200_000);
    // A slow machine can be late for a place; nothing may be early for it.
    for (const [index, { attempted_at }] of delivered.attempts.entries()) {
      const place = (at(attempted_at) - at(delivered.first_attempt_at)) / 1000;
      expect(place).toBeGreaterThan((PLACES[index] ?? 0) * SCALE - 0.1);
    }
    const numbers = delivered.attempts.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(receiver.of(id)).toHaveLength(numbers.length);
  }
  await project.api('PUT', `/v1/webhooks/${resting.id}`, { status: 'active' });
  await untilStatus(project, paused, 'succeeded', 60_000);
  expect(receiver.of(paused)).toHaveLength(2);
  expect(receiver.of(cancelled)).toHaveLength(1);

  // The other sessions end at their time.
  await eventually(
    async () => (await statusInDatabase(service, confirmed.session_id)) === 'expired',
    150_000,
  );
  await eventually(async () => (await statusInDatabase(service, unopened.session_id)) === 'expired', 220_000);
  expect(await statusInDatabase(service, used.session_id)).toBe('consumed');

  // Nothing doubled: one credit and one event for each confirmation, whenever it came.
  const { rows } = await service.pool.query<{ credits: number }>(
    'SELECT count(*) AS credits FROM credit_ledger WHERE project_id = $1',
    [project.id],
  );
  expect(rows[0]?.credits).toBe(3);
  const completed = (await eventsOf(service, project)).filter(({ name }) => name === 'auth.completed');
  expect(completed).toHaveLength(3);
  for (const id of [asked, confirmed, unopened].map(({ session_id }) =>
    workflowIds.authSession(session_id),
  )) {
    const handle = service.client.workflow.getHandle(id);
    await eventually(async () => (await handle.describe()).status.name === 'COMPLETED', 60_000);
  }
});

test('on a healthy installation it changes nothing', async () => {
  receiver.behave(503);
  const endpoint = await createEndpoint(project, receiver.url, { events: ['batch.completed'] });
  const id = await emitOne(service, project, endpoint.id, 'batch.completed');
  await untilAttempts(project, id, 1);
  await untilWorkflow(service, id, 'RUNNING');
  const { session_id } = await createSession(project);
  const session = service.client.workflow.getHandle(workflowIds.authSession(session_id));
  await eventually(async () => (await session.describe()).status.name === 'RUNNING');
  const settings = { ...settingsOf(service), TEMPORAL_ADDRESS: temporal.address };
  expect(await heraldJson<Recovered>(['recover'], settings)).toMatchObject({
    sessions_restarted: 0,
    deliveries_restarted: 0,
    scheduled_open: 0,
    enrolments_open: 0,
    recurring_open: 0,
  });
  const { stdout } = await herald(['recover'], settings);
  expect(stdout).toMatch(
    /^Restarted the workflows of 0 of \d+ open sessions and 0 of \d+ open deliveries\.\n/,
  );
  expect(stdout).toContain(
    'The relay checks the rest: scheduled messages 0, enrolments 0, recurring messages 0.',
  );
});
