import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import pino from 'pino';
import { wakeWorkflow, wakeWorkflows } from '../../../src/base/temporal/wake-workflows';
import { closeClient } from '../../../src/base/temporal/within';
import { eventually } from '../../support/eventually';

/** A server that is unavailable for its first calls. */
function fakeClient(failures: number, error: Error = new Error('unavailable')) {
  const signalled: string[] = [];
  let calls = 0;
  const client = {
    withDeadline: <T>(_deadline: number, call: () => Promise<T>) => call(),
    workflow: {
      getHandle: (id: string) => ({
        async signal(name: string) {
          calls += 1;
          if (calls <= failures) throw error;
          signalled.push(`${id} ${name}`);
        },
      }),
    },
    connection: { close: () => Promise.resolve() },
  } as unknown as Client;
  return { client, signalled, calls: () => calls };
}

const log = pino({ level: 'silent' });

test('a signal that fails is repeated until it arrives, once', async () => {
  const { client, signalled, calls } = fakeClient(3);
  await wakeWorkflow(client, 'auth/1', 'redeemed');
  expect(signalled).toEqual(['auth/1 redeemed']);
  expect(calls()).toBe(4);
});

test('each of many is repeated by itself, without a wait for the caller', async () => {
  const { client, signalled } = fakeClient(3);
  wakeWorkflows({ client, log }, ['a', 'b', 'c']);
  expect(signalled).toEqual([]);
  await eventually(() => Promise.resolve(signalled.length === 3));
  expect(signalled.sort()).toEqual(['a changed', 'b changed', 'c changed']);
});

test('a workflow that has ended is not signalled again', async () => {
  const { client, calls } = fakeClient(9, new WorkflowNotFoundError('ended', 'auth/1', undefined));
  await expect(wakeWorkflow(client, 'auth/1')).rejects.toThrow('ended');
  expect(calls()).toBe(1);
});

test('a process that stops tries no more, and does not wait', async () => {
  const { client, calls } = fakeClient(Infinity);
  const waking = wakeWorkflow(client, 'auth/1');
  const refused = expect(waking).rejects.toThrow('unavailable');
  await eventually(() => Promise.resolve(calls() >= 2));
  await closeClient(client);
  await refused;
  const before = calls();
  await expect(wakeWorkflow(client, 'auth/2')).rejects.toThrow('unavailable');
  expect(calls()).toBe(before + 1);
});

test('a bounded number of signals may wait for another attempt, the others are given up', async () => {
  const { client, calls } = fakeClient(Infinity);
  const all = Array.from({ length: 1_010 }, (_, n) => wakeWorkflow(client, String(n)));
  const given = Promise.allSettled(all.slice(1_000));
  expect((await given).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'));
  expect(calls()).toBeGreaterThanOrEqual(1_010);
  await closeClient(client);
  expect((await Promise.allSettled(all)).every(({ status }) => status === 'rejected')).toBe(true);
});
