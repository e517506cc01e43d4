import { Worker, type WorkerOptions } from '@temporalio/worker';
import { loadConfig } from '../../../src/process/settings';
import { taskQueues, type QueueName } from '../../../src/base/temporal/names';
import { startWorkers } from '../../../src/base/temporal/workers';

const queues = taskQueues('test');
const names = Object.keys(queues) as QueueName[];

/** The options of the workers that would be started, by task queue. */
async function optionsOf(cachedWorkflows: number): Promise<Record<string, WorkerOptions>> {
  const created: Record<string, WorkerOptions> = {};
  const create = jest.spyOn(Worker, 'create').mockImplementation((options) => {
    created[options.taskQueue] = options;
    return Promise.resolve({ run: () => Promise.resolve(), getState: () => 'STOPPED' } as never);
  });
  try {
    const { stop } = await startWorkers({
      connection: null as never,
      namespace: 'default',
      queues,
      bundlePath: 'bundle.js',
      activities: Object.fromEntries(names.map((name) => [name, {}])) as Record<QueueName, object>,
      cachedWorkflows,
      onFailure: () => undefined,
    });
    await stop();
  } finally {
    create.mockRestore();
  }
  return created;
}

test.each([loadConfig({}).HERALD_CACHED_WORKFLOWS, 40, 100_000])(
  'the workers of a process keep %i workflows in memory, all together',
  async (total) => {
    const sizes = Object.values(await optionsOf(total)).map(
      ({ maxCachedWorkflows = NaN }) => maxCachedWorkflows,
    );
    expect(sizes).toHaveLength(names.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total);
    // The SDK raises what is below 2.
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
  },
);
