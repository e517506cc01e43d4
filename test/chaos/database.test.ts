import { randomUUID } from 'node:crypto';
import { eventRegistry } from '../../src/domains/events/contract';
import { newApiKey } from '../../src/base/lib/tokens';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import type { Api } from '../support/api';
import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { createSession, linkOf, openAndWait, startOf } from '../system/login/fixture';
import { addCrowd, eventsOf } from '../system/messages/fixture';
import { createEndpoint, scriptedReceiver, type ScriptedReceiver } from '../system/webhooks/fixture';
import { startOwnDatabase, type OwnDatabase } from './own-database';

jest.setTimeout(480_000);

const KILLS = 10;
const PEOPLE = 8;
const MESSAGES = 10;
/** A step and its pause take about a second. */
const env = {
  HERALD_DRIP_SCALE: '0.01',
  HERALD_MESSAGES_PER_SECOND: '100',
  HERALD_STATEMENT_TIMEOUT_SECONDS: '3',
  HERALD_LOCK_TIMEOUT_SECONDS: '2',
};
/**
 * After the database is back, every login, delivery and drip step goes on within this time, and as many times what a
 * round takes in which nothing is killed, so that a busy machine decides nothing. It mostly takes two seconds.
 */
const RECOVERY_MS = 15_000;
const BUSY_MACHINE = 10;
/** Far beyond that, so that what it took is printed. */
const FAR_TOO_LONG_MS = 60_000;

let database: OwnDatabase;
let service: TestService;
let worker: HeraldProcess;
let project: TestProject;
let receiver: ScriptedReceiver;
let publisher: Api;

beforeAll(async () => {
  database = await startOwnDatabase();
  // Its own: its database is killed.
  service = await startTestService({ roles: 'api,bots', env, database });
  worker = await startSecondProcess(service, 'worker', env);
  project = await service.createProject();
  await addCrowd(service, project, 'telegram', PEOPLE);
  await service.pool.query(`UPDATE subscribers SET external_id = 'crowd' WHERE project_id = $1`, [
    project.id,
  ]);
  receiver = await scriptedReceiver(200);
  await createEndpoint(project, receiver.url, { events: ['ticket.created'] });
  const { key, hash, hint } = newApiKey();
  await insertApiKey(service.pool, { project_id: project.id, hash, hint, scopes: ['publish'] });
  publisher = service.apiWith(key);
});
afterAll(async () => {
  await worker?.kill9();
  await service?.stop();
  await receiver?.close();
  await database?.drop();
});

async function enrolEverybody(): Promise<string> {
  const steps = Array.from({ length: MESSAGES }, (_, n) => [
    { id: `send${n}`, type: 'send', content: { text: `message ${n}` } },
    { id: `wait${n}`, type: 'delay', minutes: 1 },
  ]);
  const { body: chain } = await project.api('POST', '/v1/drip-chains', {
    name: 'Chain',
    trigger: { type: 'manual' },
    steps: steps.flat(),
    status: 'active',
  });
  const enrolled = await project.api('POST', `/v1/drip-chains/${chain.drip_id}/enrolments`, {
    external_id: 'crowd',
  });
  expect(enrolled.body.data).toHaveLength(PEOPLE);
  return chain.drip_id;
}

/** Messages that were sent to each person so far; null for one that has completed the chain. */
async function progress(dripId: string): Promise<Map<string, number | null>> {
  const { rows } = await service.pool.query<{ id: string; steps_begun: number; ended: boolean }>(
    'SELECT id, steps_begun, ended_at IS NOT NULL AS ended FROM drip_enrolments WHERE drip_id = $1',
    [dripId],
  );
  return new Map(rows.map(({ id, steps_begun, ended }) => [id, ended ? null : steps_begun]));
}

async function everyEnrolmentMoves(dripId: string, before: Map<string, number | null>): Promise<void> {
  await eventually(async () => {
    const now = await progress(dripId);
    return [...before].every(([id, n]) => n === null || now.get(id) === null || (now.get(id) ?? 0) > n);
  }, FAR_TOO_LONG_MS);
}

async function publishFive(): Promise<string[]> {
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const events = ids.map((event_id) => ({
    event: 'ticket.created',
    data: { ...eventRegistry['ticket.created'].example, ticket_id: event_id },
    event_id,
  }));
  expect((await publisher('POST', '/v1/publish', { events })).status).toBe(202);
  return ids;
}

async function areDelivered(ids: string[]): Promise<void> {
  await eventually(() => {
    const bodies = receiver.received.map(({ body }) => body.toString('utf8'));
    return ids.every((id) => bodies.some((body) => body.includes(id)));
  }, FAR_TOO_LONG_MS);
}

/** The caller repeats what is answered with 503, as the documentation says. */
async function ends(sessionId: string): Promise<void> {
  const code = await eventually(async () => {
    const { status, body } = await project.api('GET', `/v1/auth/session/${sessionId}/status`);
    return status === 200 ? (body.code as string | undefined) : undefined;
  }, FAR_TOO_LONG_MS);
  const verified = await eventually(async () => {
    const response = await project.api('POST', '/v1/auth/verify', { code });
    return response.status === 503 ? null : response;
  }, FAR_TOO_LONG_MS);
  expect(verified).toMatchObject({ status: 200 });
}

test('kill -9 of the database in the middle of drip steps, logins and publishing: nothing is lost, and all of it goes on', async () => {
  const chains = [await enrolEverybody()];
  const took: Record<string, number[]> = { login: [], delivery: [], drip: [] };
  // Two rounds kill nothing: the first one warms up, the second one is what the others are compared with.
  for (let kill = -1; kill <= KILLS; kill += 1) {
    let dripId = chains.at(-1) ?? '';
    // Each kill meets steps.
    if ([...(await progress(dripId)).values()].includes(null)) chains.push((dripId = await enrolEverybody()));
    const user = `kill-${kill}`;
    const session = await createSession(project);
    await openAndWait(service, 'max', user, startOf(linkOf(session, 'max')));
    const published = await publishFive();
    const before = await progress(dripId);
    await service.control.tap('max', user, { button: 0 });
    if (kill > 0) await database.server.kill(200);
    const back = performance.now();
    const since = (what: string) => () => void took[what]?.push(Math.round(performance.now() - back));
    await Promise.all([
      ends(session.session_id).then(since('login')),
      areDelivered(published).then(since('delivery')),
      everyEnrolmentMoves(dripId, before).then(since('drip')),
    ]);
  }
  for (const [what, [, undisturbed = 0, ...ms]] of Object.entries(took)) {
    process.stdout.write(`${what}: ${undisturbed} ms; after the database came back: ${ms.join(', ')} ms\n`);
    expect(Math.max(...ms)).toBeLessThan(RECOVERY_MS + BUSY_MACHINE * undisturbed);
  }
  const completed = PEOPLE * chains.length;
  await eventually(
    async () => (await eventsOf(service, project, 'drip.completed')).length === completed,
    120_000,
  );
  for (const dripId of chains) {
    const { body } = await project.api('GET', `/v1/drip-chains/${dripId}/stats`);
    expect(body).toMatchObject({ enrolled: PEOPLE, completed: PEOPLE, active: 0, exited: 0, cancelled: 0 });
  }
  expect(await eventsOf(service, project, 'drip.step_sent')).toHaveLength(MESSAGES * completed);
  // It has waited for the database, and was not ended by it.
  expect([worker.child.exitCode, worker.child.signalCode]).toEqual([null, null]);
});

test('frozen connections are given up: the API responds and activities are retried before they go on', async () => {
  const dripId = await enrolEverybody();
  await eventually(async () => [...(await progress(dripId)).values()].every((n) => (n ?? 1) > 0), 60_000);
  const before = await progress(dripId);
  const { rows } = await service.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'herald %'`,
  );
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  try {
    await eventually(async () => (await project.api('GET', '/v1/project')).status === 200, FAR_TOO_LONG_MS);
    await eventually(() => isRetried([...before.keys()]), FAR_TOO_LONG_MS);
  } finally {
    for (const { pid } of rows) process.kill(pid, 'SIGCONT');
  }
  await everyEnrolmentMoves(dripId, before);
});

/** Also by their histories: one that goes on waits for its second attempt only for a moment. */
async function isRetried(enrolmentIds: string[]): Promise<boolean> {
  for (const id of enrolmentIds) {
    const enrolment = service.client.workflow.getHandle(`drip/${id}`);
    const [{ raw }, { events }] = await Promise.all([enrolment.describe(), enrolment.fetchHistory()]);
    const attempts = [
      ...(raw.pendingActivities ?? []).map(({ attempt }) => attempt),
      ...(events ?? []).map((event) => event.activityTaskStartedEventAttributes?.attempt),
    ];
    if (attempts.some((attempt) => (attempt ?? 1) > 1)) return true;
  }
  return false;
}
