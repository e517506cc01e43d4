import path from 'node:path';
import { Runtime, Worker } from '@temporalio/worker';
import pino from 'pino';
import { replayHistories } from '../../../src/process/operations/replay';
import { readHistoryJson } from '../../../src/base/temporal/history-json';
import { installRuntime } from '../../../src/base/temporal/workers';
import * as workflows from '../../../workflows';
import { eventually } from '../../support/eventually';
import { historyJson as read, recorded } from './histories';

const currentBundle = process.env['HERALD_TEST_WORKFLOW_BUNDLE']!;

/** By file; undefined: none. One worker replays them all: to start one takes longer than to replay a history. */
const errors = new Map<string, string | undefined>();
beforeAll(async () => {
  await installRuntime(pino({ level: 'silent' }));
  const histories = recorded.map((file) => ({ workflowId: file, history: readHistoryJson(read(file)) }));
  for await (const { workflowId, error } of replayed(histories)) errors.set(workflowId, error?.message);
});

// A worker that was abandoned goes on replaying. The next file installs a runtime of its own.
afterAll(() => eventually(() => (Runtime as unknown as { _instance?: Runtime })._instance === undefined));

test('there is a recorded history of every workflow', () => {
  const exported = Object.entries(workflows).filter(([, value]) => typeof value === 'function');
  const types = new Set(recorded.map((file) => /"workflowType": \{\s*"name": "(\w+)"/.exec(read(file))?.[1]));
  expect(exported.length).toBeGreaterThanOrEqual(7);
  expect(exported.map(([name]) => name).filter((name) => !types.has(name))).toEqual([]);
});

test('there is a recorded history of every kind of end of a delivery', () => {
  expect(recorded.filter((file) => file.startsWith('deliver-webhook')).length).toBeGreaterThanOrEqual(10);
});

test('there is a recorded history of every kind of end of a login and of a broadcast', () => {
  const named = (folder: string) =>
    recorded.filter((file) => path.dirname(file) === folder).map((file) => path.basename(file));
  expect(named('auth-session')).toEqual(
    expect.arrayContaining(['consumed', 'declined', 'expired', 'code-expired']),
  );
  expect(named('auth-session')).toEqual(
    expect.arrayContaining(['push-approved', 'push-login', 'push-expired', 'push-declined-while-asking']),
  );
  expect(named('broadcast')).toEqual(expect.arrayContaining(['completed', 'cancelled']));
});

test.each(recorded)('%s replays on the workflows of today', (file) => {
  expect(errors.has(file)).toBe(true);
  // The message names the first command that differs.
  expect(errors.get(file)).toBeUndefined();
});

test('a history of another shape is noticed', async () => {
  const other = read('deliver-webhook/first-success').replaceAll('attemptDelivery', 'anotherActivity');
  const messages: (string | undefined)[] = [];
  const histories = [{ workflowId: 'other', history: readHistoryJson(other) }];
  for await (const { error } of replayed(histories)) messages.push(error?.message);
  expect(messages).toEqual([expect.stringContaining('anotherActivity')]);
});

test('a history without a task has nothing to replay, and holds none of the others up', async () => {
  const history = readHistoryJson(read('auth-session/consumed'));
  const histories = [
    { workflowId: 'not-begun', history: { events: history.events?.slice(0, 1) ?? [] } },
    { workflowId: 'ended', history },
  ];
  const outcomes: unknown[] = [];
  for await (const outcome of replayHistories(currentBundle, histories)) outcomes.push(outcome);
  expect(outcomes).toMatchObject([
    { workflow_id: 'not-begun', ok: true },
    { workflow_id: 'ended', ok: true },
  ]);
});

test('each history that is not replayed in time is named', async () => {
  const history = readHistoryJson(read('auth-session/consumed'));
  const histories = ['first', 'second'].map((workflowId) => ({ workflowId, history }));
  const outcomes: unknown[] = [];
  for await (const outcome of replayHistories(currentBundle, histories, 0)) outcomes.push(outcome);
  const problem = 'not replayed within 0 s';
  expect(outcomes).toMatchObject([
    { workflow_id: 'first', ok: false, problem },
    { workflow_id: 'second', ok: false, problem },
  ]);
});

const replayed = (histories: Parameters<typeof Worker.runReplayHistories>[1]) =>
  Worker.runReplayHistories({ workflowBundle: { codePath: currentBundle } }, histories);
