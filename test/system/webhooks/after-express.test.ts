import { claimExpress, claimSlotless, claimStarts } from '../../../src/domains/webhooks/queries/claim';
import { recordAttempt } from '../../../src/domains/webhooks/queries/results';
import { removeSlotless } from '../../../src/domains/webhooks/queries/queue';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint, emitOne } from './fixture';

/** The first attempt of the express lane has failed, and the test is the relay that starts its workflow. */
let api: TestService;
let project: TestProject;
let id: string;

beforeAll(async () => {
  // Its own, with no worker: the test is the relay.
  api = await startTestService({ lane: 'express', roles: 'api' });
});
afterAll(() => api?.stop());
beforeEach(async () => {
  project = await api.createProject();
  const endpoint = await createEndpoint(project, 'http://127.0.0.1:9/hook');
  id = await emitOne(api, project, endpoint.id);
  const [claim] = await claimExpress(api.pool, { limit: 1, defaultLane: 'express' });
  await recordAttempt(
    api.pool,
    { deliveryId: id, number: 1, endpointVersion: claim!.endpoint_version },
    {
      result: {
        status: 503,
        error: null,
        errorDetail: null,
        durationMs: 1,
        requestHeaders: null,
        responseBody: null,
        responseHeaders: {},
      },
      verdict: 'retry',
      next: Date.now() + 3_600_000,
    },
    { isExpress: true },
  );
});
afterEach(() => api.pool.query('DELETE FROM delivery_queue'));

async function startUnderWay() {
  const [start] = await claimSlotless(api.pool, 10);
  expect(start).toMatchObject({ id, status: 'pending', after_express: { httpStatus: 503 } });
  return start!;
}

test('a start during which nothing happens leaves nothing to do', async () => {
  await removeSlotless(api.pool, await startUnderWay());
  expect((await api.pool.query('SELECT 1 FROM delivery_queue')).rows).toEqual([]);
});

test('a retry that is requested while the relay starts the workflow is made at once, not at the next scheduled time', async () => {
  const start = await startUnderWay();
  expect((await project.api('POST', `/v1/deliveries/${id}/retry`)).status).toBe(202);
  await removeSlotless(api.pool, start);
  expect(await claimStarts(api.pool, { limit: 10, defaultLane: 'express' })).toMatchObject([
    { id, known: true },
  ]);
});

test('a cancel that is requested while the relay starts the workflow ends the workflow, too', async () => {
  const start = await startUnderWay();
  expect((await project.api('POST', `/v1/deliveries/${id}/cancel`)).status).toBe(200);
  await removeSlotless(api.pool, start);
  expect(await claimSlotless(api.pool, 10)).toMatchObject([{ id, status: 'cancelled' }]);
});
