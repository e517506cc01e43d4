import type { Command } from 'commander';
import { findInstallation, withDatabase } from './context';
import { print } from './output';
import { startProgress } from './progress';
import { withTemporal } from './temporal';

async function recoverAll({ json }: { json?: boolean }): Promise<void> {
  const [{ recover }, { createSessionStarter }] = await Promise.all([
    import('../operations/recover.js'),
    import('../../domains/login/workflow-client.js'),
  ]);
  const installation = await findInstallation();
  const recovered = await withDatabase(
    (pool) =>
      withTemporal(async ({ client, queues }) => {
        const progress = startProgress('checking open sessions and deliveries');
        try {
          const starter = createSessionStarter({ client, eagerClient: () => null, pool, queues });
          return await recover({ pool, client, starter, onProgress: progress.at });
        } finally {
          progress.end();
        }
      }, installation),
    installation,
  );
  print(
    recovered,
    json,
    () =>
      `Restarted the workflows of ${recovered.sessions_restarted} of ${recovered.sessions_open} open sessions and ` +
      `${recovered.deliveries_restarted} of ${recovered.deliveries_open} open deliveries.\n` +
      `The relay checks the rest: scheduled messages ${recovered.scheduled_open}, enrolments ${recovered.enrolments_open}, ` +
      `recurring messages ${recovered.recurring_open}.`,
  );
}

export function addRecoverCommand(program: Command): void {
  program
    .command('recover')
    .description('restart missing workflows after Temporal lost its data; safe at any time')
    .option('--json', 'print JSON')
    .action(recoverAll);
}
