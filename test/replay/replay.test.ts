import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import pino from 'pino';
import { readHistoryJson } from '../../src/temporal/history-json';
import { installRuntime } from '../../src/temporal/workers';
import { historiesDir } from './record';

const recorded = readdirSync(historiesDir, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json'))
  .sort();

beforeAll(() => installRuntime(pino({ level: 'silent' })));

test('there is a recorded history of every kind of end of a delivery', () => {
  expect(recorded.filter((file) => file.startsWith('deliver-webhook')).length).toBeGreaterThanOrEqual(10);
});

test.each(recorded)('%s replays on the workflows of today', async (file) => {
  // The message names the first command that differs.
  expect(await replayError(read(file))).toBeUndefined();
});

test('a history of another shape is noticed', async () => {
  const other = read('deliver-webhook/first-success.json').replaceAll('attemptDelivery', 'anotherActivity');
  expect(await replayError(other)).toContain('anotherActivity');
});

function read(file: string): string {
  return readFileSync(path.join(historiesDir, file), 'utf8');
}

async function replayError(json: string): Promise<string | undefined> {
  const results = Worker.runReplayHistories(
    { workflowBundle: { codePath: process.env['HERALD_TEST_WORKFLOW_BUNDLE']! } },
    [{ workflowId: 'replayed', history: readHistoryJson(json) }],
  );
  for await (const { error } of results) return error?.message;
  throw new Error('nothing was replayed');
}
