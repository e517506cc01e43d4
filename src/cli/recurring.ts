import type { Command } from 'commander';
import pino from 'pino';
import { findInstallation, withDatabase } from './context';
import { print } from './output';
import { addPlanList } from './plans';
import { withTemporal } from './temporal';

async function sync({ json }: { json?: boolean }): Promise<void> {
  const { syncSchedules } = await import('../operations/recurring-schedules.js');
  const installation = await findInstallation();
  const log = pino({ level: 'silent' });
  const done = await withDatabase(
    (pool) => withTemporal((temporal) => syncSchedules({ pool, log, ...temporal }), installation),
    installation,
  );
  print(
    done,
    json,
    () =>
      `Compared ${done.rows} recurring messages with their schedules: ${done.created} created, ` +
      `${done.changed + done.repaired} changed, ${done.deleted + done.orphans_deleted} deleted.`,
  );
}

export function addRecurringCommands(program: Command): void {
  const recurring = program.command('recurring').description('recurring messages');
  addPlanList(recurring, 'recurring', 'recurring messages');
  recurring
    .command('sync')
    .description('make every Temporal Schedule a copy of its row, now; safe at any time')
    .option('--json', 'print JSON')
    .action(sync);
}
