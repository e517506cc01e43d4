import { eventRegistry } from '../../src/domains/events/contract';
import { newApiKey } from '../../src/base/lib/tokens';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestService } from '../support/service';
import { stablePort } from '../support/stable-port';
import { createEndpoint, scriptedReceiver } from '../system/webhooks/fixture';

/** The blocked statement must not time out before its process is stopped. */
const longTimeouts = { HERALD_LOCK_TIMEOUT_SECONDS: '60', HERALD_STATEMENT_TIMEOUT_SECONDS: '60' };

let service: TestService;

beforeAll(async () => {
  // Its own: the lane is a setting.
  service = await startTestService({ lane: 'express', queues: ['deliveries'] });
});
afterAll(() => service.stop());

const request = {
  events: ['first', 'second'].map((event_id) => ({
    event: 'ticket.created',
    data: eventRegistry['ticket.created'].example,
    event_id,
  })),
};

test('kill -9 of the API after the commit and before the response: the repeated request says duplicate, each event is delivered once', async () => {
  const project = await service.createProject();
  const receiver = await scriptedReceiver(200);
  await createEndpoint(project, receiver.url);
  const { key, hash, hint } = newApiKey();
  await insertApiKey(service.pool, { project_id: project.id, hash, hint, scopes: ['publish'] });
  const publish = (url: string) =>
    fetch(`${url}/v1/publish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
  const port = await stablePort();
  const api = await startSecondProcess(service, 'api', { ...longTimeouts, PORT: String(port) });
  try {
    await commitWithoutResponse(api, () => publish(`http://127.0.0.1:${port}`), project.id);
  } finally {
    await api.kill9();
  }
  const repeated = await publish(service.url);
  expect([repeated.status, await repeated.json()]).toEqual([
    202,
    {
      data: [
        { event_id: 'first', status: 'duplicate', deliveries: 0 },
        { event_id: 'second', status: 'duplicate', deliveries: 0 },
      ],
    },
  ]);
  await eventually(() => receiver.received.length >= 2);
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery-id']);
  expect(new Set(ids).size).toBe(2);
  expect(ids).toHaveLength(2);
  await receiver.close();
});

/** A lock holds the statement up until the process is stopped; then it commits, and no process reads its result. */
async function commitWithoutResponse(
  { child }: HeraldProcess,
  send: () => Promise<Response>,
  projectId: string,
): Promise<void> {
  const lock = await service.pool.connect();
  await lock.query('BEGIN; LOCK TABLE published_ids IN SHARE ROW EXCLUSIVE MODE');
  const response = expect(send()).rejects.toThrow('fetch failed');
  await eventually(async () => {
    const { rows } = await service.pool.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%published_ids%' AND datname = current_database()",
    );
    return rows.length > 0;
  });
  child.kill('SIGSTOP');
  await lock.query('COMMIT');
  lock.release();
  await eventually(async () => {
    const { rows } = await service.pool.query('SELECT 1 FROM events WHERE project_id = $1', [projectId]);
    return rows.length === 2;
  });
  child.kill('SIGKILL');
  await response;
}
