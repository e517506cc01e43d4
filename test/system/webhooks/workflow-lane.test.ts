import type http from 'node:http';
import { searchAttributes } from '../../../src/base/temporal/names';
import { claimStarts } from '../../../src/domains/webhooks/queries/claim';
import { endExpiredLeases } from '../../../src/domains/webhooks/queries/queue';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from './fixture';

/** What only this lane has: a workflow from the first attempt on. What both lanes do is in lanes/workflow.test.ts. */
let project: TestProject;
let receiver: ScriptedReceiver;

describe('with a worker', () => {
  let service: TestService;

  beforeAll(async () => {
    // Its own: parts of this file claim deliveries themselves.
    service = await startTestService({ lane: 'workflow', roles: 'api,worker', queues: ['deliveries'] });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver();
  });
  afterEach(() => receiver.close());

  test('a delivery that succeeds at once is one workflow with one activity and nothing else', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const description = await untilWorkflow(service, id, 'COMPLETED');

    expect(description.typedSearchAttributes.get(searchAttributes.ProjectId)).toBe(project.id);
    expect(description.typedSearchAttributes.get(searchAttributes.EndpointId)).toBe(endpoint.id);
    expect(description.typedSearchAttributes.get(searchAttributes.EventName)).toBe('auth.completed');
    expect(description.typedSearchAttributes.get(searchAttributes.DeliveryStatus)).toBeUndefined();
    await expect(workflowOf(service, id).result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });

    const history = await workflowOf(service, id).fetchHistory();
    const kinds = history.events?.map((event) =>
      Object.keys(event).find((key) => key.endsWith('Attributes')),
    );
    // A task that a busy machine makes late is scheduled again, but completed once.
    expect(
      kinds?.filter((kind) => !/^workflowTask(Scheduled|Started|TimedOut)Event/.test(kind ?? '')),
    ).toEqual([
      'workflowExecutionStartedEventAttributes',
      'workflowTaskCompletedEventAttributes',
      'activityTaskScheduledEventAttributes',
      'activityTaskStartedEventAttributes',
      'activityTaskCompletedEventAttributes',
      'workflowTaskCompletedEventAttributes',
      'workflowExecutionCompletedEventAttributes',
    ]);
  });

  test('a retry during the first attempt makes one more, however often the workflow is signalled for it', async () => {
    const held: http.ServerResponse[] = [];
    receiver.behave((res) => void held.push(res));
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    await eventually(() => held.length === 1);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    await workflowOf(service, id).signal('changed');
    receiver.behave(200);
    held[0]!.writeHead(503).end();
    const delivery = await untilStatus(project, id, 'succeeded');
    expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 200]);
    await untilWorkflow(service, id, 'COMPLETED');
    expect(receiver.of(id)).toHaveLength(2);
  });
});

describe('without a worker, claimed by the test', () => {
  let api: TestService;

  beforeEach(async () => {
    api = await startTestService({ lane: 'workflow', roles: 'api' });
    project = await api.createProject();
    receiver = await scriptedReceiver();
  });
  afterEach(async () => {
    await receiver?.close();
    await api?.stop();
  });

  const claim = (limit: number) => claimStarts(api.pool, { limit, defaultLane: 'workflow' });

  test('a start whose relay died is claimed again, as one that may have a workflow', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(api, project, endpoint.id);
    expect(await claim(1)).toMatchObject([{ id, known: false }]);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    expect(await claim(1)).toEqual([]);
    await api.pool.query(`UPDATE delivery_queue SET lease_until = now() - interval '1 second'`);
    expect(await endExpiredLeases(api.pool, 10)).toEqual([]);
    expect(await claim(1)).toMatchObject([{ id, known: true }]);
  });

  test('an endpoint that is enabled again gets its paused deliveries oldest first', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(await emitOne(api, project, endpoint.id));
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'active' });
    const claimed = await claim(2);
    expect(claimed.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort());
  });
});
