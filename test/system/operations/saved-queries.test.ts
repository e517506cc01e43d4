import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../support/eventually';
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

const page = readFileSync(path.join(__dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8');
const table = page.slice(page.indexOf('Useful saved views'), page.indexOf('is always accurate'));
const views = new Map(
  [...table.matchAll(/^\| ([^|]+)\| `([^`]+)`/gm)].map(([, view = '', query = '']) => [view.trim(), query]),
);

let service: TestService;
let receiver: ScriptedReceiver;
let project: TestProject;
beforeAll(async () => {
  receiver = await scriptedReceiver(200);
  // Its own: the test decides when an overdue delivery is queued.
  service = await startTestService({ roles: 'api,worker', queues: ['deliveries'] });
  project = await service.createProject();
});
afterAll(async () => {
  await service?.stop();
  await receiver.close();
});

test('the saved queries are there', () => {
  expect(views.size).toBeGreaterThanOrEqual(8);
});

test.each([...views.values()])('the Temporal server understands %s', async (query) => {
  const filled = query.replace('…', randomUUID()).replace(/<[^>]+>/, new Date().toISOString());
  const { count } = await service.client.workflow.count(filled);
  expect(Number.isInteger(count)).toBe(true);
});

test('the views list exactly the deliveries that retry and those that need a person, each once', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const emit = () => emitOne(service, project, endpoint.id);
  const fail = async () => {
    receiver.behave(404);
    const id = await emit();
    await untilStatus(project, id, 'failed');
    await untilWorkflow(service, id, 'FAILED');
    return id;
  };
  const retry = (id: string) => project.api('POST', `/v1/deliveries/${id}/retry`);
  const retrying = async () => {
    receiver.behave(503);
    const id = await emit();
    await untilAttempts(project, id, 1);
    await untilWorkflow(service, id, 'RUNNING');
    return id;
  };

  const failed = await fail();
  const failedAgain = await fail();
  await retry(failedAgain);
  await untilAttempts(project, failedAgain, 2);
  await untilWorkflow(service, failedAgain, 'FAILED');
  const retried = await fail();
  receiver.behave(200);
  await retry(retried);
  await untilStatus(project, retried, 'succeeded');

  const waiting = await retrying();
  const terminated = await retrying();
  await workflowOf(service, terminated).terminate('by a test');
  await service.pool.query(`UPDATE deliveries SET overdue_at = now() WHERE id = $1`, [terminated]);
  await untilWorkflow(service, terminated, 'RUNNING');
  const cancelled = await retrying();
  await project.api('POST', `/v1/deliveries/${cancelled}/cancel`);
  const cancelledByOperator = await retrying();
  await workflowOf(service, cancelledByOperator).cancel();
  await untilStatus(project, cancelledByOperator, 'cancelled');

  const listed = async (view: string) => {
    const ids: string[] = [];
    const query = `${views.get(view) ?? ''} AND ProjectId = "${project.id}"`;
    for await (const { workflowId } of service.client.workflow.list({ query })) ids.push(workflowId);
    return ids.sort();
  };
  const workflows = (...ids: string[]) => ids.map((id) => `delivery/${id}`).sort();
  await eventually(async () => {
    expect(await listed('Deliveries that need a person')).toEqual(workflows(failed, failedAgain));
    expect(await listed('Deliveries that are retrying')).toEqual(workflows(waiting, terminated));
    return true;
    // The server removes a deleted run from its lists about half a minute later.
  }, 150_000);
}, 240_000);
