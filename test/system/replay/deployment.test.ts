import { createTestDatabase, type TestDatabase } from '../../support/database';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../webhooks/fixture';
import { buildChangedBundle, type ChangedBundle } from './fixture';

jest.setTimeout(120_000);

/** A second of the schedule takes 100 ms: attempts at 0, 3 and 12 seconds. */
const env = { HERALD_RETRY_SCALE: '0.1' };

let receiver: ScriptedReceiver;
let database: TestDatabase;
let api: TestService;
let worker: TestService | undefined;
let project: TestProject;
let guarded: ChangedBundle;

beforeAll(async () => {
  guarded = await buildChangedBundle('guarded');
  receiver = await scriptedReceiver(503);
  database = await createTestDatabase();
  // Its own: workers with other bundles.
  api = await startTestService({ roles: 'api', env, database });
  project = await api.createProject();
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
  await database?.drop();
  await receiver?.close();
  await guarded?.remove();
});

function startWorker(bundlePath?: string): Promise<TestService> {
  const shared = { env, database, simulator: api.simulator, queuePrefix: api.queuePrefix };
  return startTestService({
    roles: 'worker',
    queues: ['deliveries'],
    ...shared,
    ...(bundlePath ? { bundlePath } : {}),
  });
}

async function patchesOf(deliveryId: string): Promise<number> {
  const { events } = await workflowOf(api, deliveryId).fetchHistory();
  return (
    events?.filter((event) => event.markerRecordedEventAttributes?.markerName === 'core_patch').length ?? 0
  );
}

test('a delivery in the middle of its schedule continues with changed code; a new one takes the new path', async () => {
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  // Time enough to stop the worker before the third attempt.
  receiver.behave((res) => {
    res.writeHead(503, receiver.received.length === 2 ? { 'retry-after': '20' } : {}).end();
  });
  worker = await startWorker();
  const old = await emitOne(api, project, endpoint.id);
  await untilAttempts(project, old, 2);
  await worker.stop();

  receiver.behave(200);
  worker = await startWorker(guarded.path);
  const delivered = await untilStatus(project, old, 'succeeded', 60_000);
  expect(delivered.attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(receiver.of(old)).toHaveLength(3);
  await untilWorkflow(api, old, 'COMPLETED');
  expect(await patchesOf(old)).toBe(0);

  const young = await emitOne(api, project, endpoint.id);
  await untilStatus(project, young, 'succeeded');
  await untilWorkflow(api, young, 'COMPLETED');
  expect(await patchesOf(young)).toBe(1);
});
