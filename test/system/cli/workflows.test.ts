import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findTemporalCli } from '../../../src/local/temporal/cli';
import { buildChangedBundle, type ChangedBundle } from '../replay/fixture';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitOne,
  readDelivery,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../webhooks/fixture';
import { herald, heraldJson, settingsOf } from './fixture';

jest.setTimeout(120_000);

let service: TestService;
let settings: Record<string, string>;
let receiver: ScriptedReceiver;
let project: TestProject;
let endpointId: string;
let current: string[];
let unguarded: ChangedBundle;

beforeAll(async () => {
  // Its own: its histories are replayed.
  service = await startTestService({ roles: 'api,worker', queues: ['logins', 'deliveries'] });
  settings = settingsOf(service);
  project = await service.createProject();
  // The bundle of this run: dist/ may be of another moment.
  current = ['--bundle', process.env['HERALD_TEST_WORKFLOW_BUNDLE'] ?? ''];
  unguarded = await buildChangedBundle('unguarded');
});
afterAll(async () => {
  await service?.stop();
  await unguarded?.remove();
});
beforeEach(async () => {
  receiver = await scriptedReceiver(503);
  endpointId = (await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' })).id;
});
afterEach(async () => {
  await project.api('DELETE', `/v1/webhooks/${endpointId}`);
  await receiver.close();
});

interface Outcome {
  workflow_id: string;
  ok: boolean;
  event_id: number | null;
  event_type: string | null;
}

/** As the `temporal` program writes it, and the Temporal UI with it. */
async function shownByTemporal(workflowId: string): Promise<string> {
  const cli = await findTemporalCli({ configured: process.env['HERALD_TEMPORAL_CLI'], onProgress: () => {} });
  const address = process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '';
  const args = ['workflow', 'show', '--workflow-id', workflowId, '--address', address, '-o', 'json'];
  return (await promisify(execFile)(cli, args)).stdout;
}

async function waitingDelivery(): Promise<string> {
  const id = await emitOne(service, project, endpointId);
  await untilAttempts(project, id, 1);
  return id;
}

test('a history replays by its workflow id and from a file, and the change that breaks it is named', async () => {
  const id = await waitingDelivery();
  const workflowId = `delivery/${id}`;
  const replay = ['workflows', 'replay', workflowId];
  expect(await heraldJson<Outcome[]>([...replay, ...current], settings)).toMatchObject([
    { workflow_id: workflowId, ok: true, event_id: null },
  ]);
  const { stdout } = await herald([...replay, ...current], settings);
  expect(stdout).toBe('1 of 1 histories replay with this code.\n');

  const broken = await herald([...replay, '--bundle', unguarded.path, '--json'], settings);
  expect(broken.code).toBe(1);
  const [outcome] = JSON.parse(broken.stdout) as Outcome[];
  expect(outcome).toMatchObject({ workflow_id: workflowId, ok: false, event_type: 'ActivityTaskScheduled' });
  const { events } = await workflowOf(service, id).fetchHistory();
  const diverging = events?.find((event) => Number(event.eventId) === outcome?.event_id);
  expect(diverging?.activityTaskScheduledEventAttributes?.activityType?.name).toBe('attemptDelivery');

  const directory = await mkdtemp(path.join(tmpdir(), 'herald-history-'));
  try {
    const file = path.join(directory, 'from-the-ui.json');
    await writeFile(file, await shownByTemporal(workflowId));
    expect((await herald(['workflows', 'replay', file, ...current], settings)).code).toBe(0);
    const table = await herald(['workflows', 'replay', file, '--bundle', unguarded.path], settings);
    expect(table.code).toBe(1);
    expect(table.stdout).toContain('0 of 1 histories replay');
    expect(table.stdout).toContain(`${outcome?.event_id} `);
    await writeFile(file, '{"no": "history"}');
    expect((await herald(['workflows', 'replay', file], settings)).stderr).toMatch(
      /is not a workflow history/,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('failed workflows since a time, and running ones, are replayed together', async () => {
  const open = await waitingDelivery();
  receiver.behave(400);
  const failed = await emitOne(service, project, endpointId);
  await untilWorkflow(service, failed, 'FAILED');
  // The server's lists follow its workflows a moment later.
  const found = (id: string, ...args: string[]) =>
    eventually(async () => {
      const outcomes = await heraldJson<Outcome[]>(['workflows', 'replay', ...args, ...current], settings);
      expect(outcomes).toContainEqual(expect.objectContaining({ workflow_id: `delivery/${id}`, ok: true }));
      return outcomes;
    });
  const ended = await found(failed, '--failed', '--since', '1h');
  expect(ended.map((outcome) => outcome.workflow_id)).not.toContain(`delivery/${open}`);
  await found(open, '--open');
  expect(
    await heraldJson(['workflows', 'replay', '--failed', '--since', '2999-01-01', ...current], settings),
  ).toEqual([]);
});

test('a reset runs the workflow anew and sends nothing again', async () => {
  const id = await waitingDelivery();
  const before = await readDelivery(project, id);
  const first = (await workflowOf(service, id).describe()).runId;
  const answer = await heraldJson<{ run_id: string }>(['workflows', 'reset', `delivery/${id}`], settings);
  expect(answer.run_id).not.toBe(first);
  await eventually(async () => {
    const { events } = await workflowOf(service, id).fetchHistory();
    return events?.filter((event) => event.activityTaskCompletedEventAttributes).length;
  });
  const after = await readDelivery(project, id);
  expect(after.attempts).toHaveLength(1);
  expect(after.next_attempt_at).toBe(before.next_attempt_at);
  expect(receiver.of(id)).toHaveLength(1);

  receiver.behave(200);
  await herald(['deliveries', 'retry', id], settings);
  await untilStatus(project, id, 'succeeded');
  expect(receiver.of(id)).toHaveLength(2);

  // An ended delivery stays ended, whatever is done to its workflow.
  await untilWorkflow(service, id, 'COMPLETED');
  const { events } = await workflowOf(service, id).fetchHistory();
  const begun = Number(events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId);
  await heraldJson(['workflows', 'reset', `delivery/${id}`, '--event', String(begun + 1)], settings);
  await untilWorkflow(service, id, 'COMPLETED');
  expect(receiver.of(id)).toHaveLength(2);
});

test('a reset refuses a workflow of another installation and one that does not exist', async () => {
  const foreign = `foreign-${randomUUID()}`;
  const handle = await service.client.workflow.start('somebodyElses', {
    workflowId: foreign,
    taskQueue: 'somebody-elses',
  });
  try {
    const refused = await herald(['workflows', 'reset', foreign], settings);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `Workflow "${foreign}" runs on the task queue "somebody-elses", which does not belong to this installation.\n`,
    });
  } finally {
    await handle.terminate();
  }
  expect((await herald(['workflows', 'reset', 'delivery/none'], settings)).stderr).toBe(
    'Workflow "delivery/none" not found in Temporal.\n',
  );
  expect((await herald(['workflows', 'replay'], settings)).stderr).toMatch(/^Pass workflow ids/);
  expect(
    (await herald(['workflows', 'replay', '--open'], { ...settings, TEMPORAL_ADDRESS: '127.0.0.1:1' }))
      .stderr,
  ).toBe('Cannot reach Temporal at 127.0.0.1:1.\n');
});
