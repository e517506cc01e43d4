import type { Client } from '@temporalio/client';
import type { TaskQueues } from '../../base/temporal/names';
import { findInstallation, temporalSettingsOf, UsageError, type Installation } from './context';

const ANSWER_LIMIT_MS = 5_000;

interface TemporalAccess {
  client: Client;
  namespace: string;
  queues: TaskQueues;
}

export async function withTemporal<T>(
  work: (temporal: TemporalAccess) => Promise<T>,
  given?: Installation,
): Promise<T> {
  // Loaded here: the SDK takes longer to load than most commands take to run.
  const [{ createLazyClient }, { taskQueues }, { closeClient, within }] = await Promise.all([
    import('../../base/temporal/connection.js'),
    import('../../base/temporal/names.js'),
    import('../../base/temporal/within.js'),
  ]);
  const installation = given ?? (await findInstallation());
  const settings = temporalSettingsOf(installation);
  const client = await createLazyClient(settings);
  try {
    await within(client, ANSWER_LIMIT_MS, () => client.workflowService.getSystemInfo({})).catch(() => {
      throw new UsageError(`Cannot reach Temporal at ${settings.address}.`);
    });
    const { TEMPORAL_NAMESPACE: namespace, HERALD_TASK_QUEUE_PREFIX: prefix } = installation.settings;
    return await work({ client, namespace, queues: taskQueues(prefix) });
  } finally {
    await closeClient(client);
  }
}
