import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { isUnavailable } from '../../../base/lib/unavailable';
import type { TaskQueues } from '../../../base/temporal/names';
import { missingSearchAttributes } from '../../../base/temporal/search-attributes';
import { within } from '../../../base/temporal/within';
import { guarded, ok, problem, type Finding } from './check';

const CALL_TIMEOUT_MS = 5_000;
/** A poll lasts up to a minute; an older one belongs to a worker that is gone. */
const POLLER_AGE_MS = 90_000;

const types = temporal.api.enums.v1.TaskQueueType;

export interface TemporalCheckDeps {
  client: Client;
  address: string;
  namespace: string;
  queues: TaskQueues;
}

export async function checkTemporal(deps: TemporalCheckDeps): Promise<Finding[]> {
  const { client, address, namespace, queues } = deps;
  const advice = `Check that the Temporal server at ${address} is running and reachable, and the TEMPORAL_* settings.`;
  const server = await guarded('temporal', advice, async () => {
    try {
      const serverVersion = await within(client, CALL_TIMEOUT_MS, async () => {
        // One after the other: no call may be open when another one fails and the client is closed.
        const found = await client.workflowService.getSystemInfo({});
        await client.workflowService.describeNamespace({ namespace });
        return found.serverVersion;
      });
      return ok('temporal', `server ${serverVersion || 'of unknown version'}, namespace ${namespace}`);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return problem('temporal', 'The Temporal server does not respond.', advice);
    }
  });
  if (server.some(({ status }) => status === 'problem')) return server;
  const attributes = await guarded(
    'search attributes',
    'On Temporal Cloud, check them in the console; see docs/operations.md.',
    () => checkAttributes(deps),
  );
  const pollers = await Promise.all(
    Object.values(queues).map((queue) =>
      guarded(`task queue ${queue}`, 'Start a process with the worker role.', () =>
        checkPollers(deps, queue),
      ),
    ),
  );
  return [...server, ...attributes, ...pollers.flat()];
}

async function checkAttributes({ client, namespace }: TemporalCheckDeps): Promise<Finding> {
  const missing = await missingSearchAttributes(client, namespace);
  if (missing.length === 0) return ok('search attributes', 'all registered');
  return problem(
    'search attributes',
    `not registered: ${missing.join(', ')}`,
    'Restart the worker to register them. On Temporal Cloud, create them in the console.',
  );
}

async function checkPollers({ client, namespace }: TemporalCheckDeps, queue: string): Promise<Finding> {
  const count = async (taskQueueType: temporal.api.enums.v1.TaskQueueType) => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
      taskQueueType,
    });
    return pollers.filter(
      ({ lastAccessTime }) => lastAccessTime && Date.now() - tsToMs(lastAccessTime) < POLLER_AGE_MS,
    ).length;
  };
  const workflows = await count(types.TASK_QUEUE_TYPE_WORKFLOW);
  const activities = await count(types.TASK_QUEUE_TYPE_ACTIVITY);
  const check = `task queue ${queue}`;
  if (workflows > 0 && activities > 0) return ok(check, 'workers are polling');
  const missing = workflows === 0 ? 'workflow' : 'activity';
  return problem(
    check,
    `no worker polls for ${missing} tasks`,
    'Start a process with the worker role and the same HERALD_TASK_QUEUE_PREFIX.',
  );
}
