import type { Command } from 'commander';
import type pg from 'pg';
import type { JobKind } from '../../domains/broadcasts/contract';
import { findJobOwner } from '../../domains/broadcasts/queries/operators';
import { audited, byCli } from '../../domains/projects';
import { findRecurringOwner } from '../../domains/recurring/queries/operators';
import { findScheduledOwner } from '../../domains/scheduled/queries/operators';
import { uuid } from './arguments';
import { apiSettingsOf, findInstallation, UsageError, withDatabase } from './context';
import { print } from './output';

/* Stops messages of any project by the rules of the API, also while the project is inactive and its keys are refused. */

type EntryKind = JobKind | 'scheduled' | 'recurring';

/** The names of the kinds in errors. */
const nouns: Record<EntryKind, string> = {
  broadcast: 'Broadcast',
  batch: 'Batch',
  scheduled: 'Scheduled message',
  recurring: 'Recurring message',
};

/** The project of a message of each kind; null if there is none. */
const findOwner: Record<EntryKind, (pool: pg.Pool, id: string) => Promise<string | null>> = {
  broadcast: (pool, id) => findJobOwner(pool, 'broadcast', id),
  batch: (pool, id) => findJobOwner(pool, 'batch', id),
  scheduled: findScheduledOwner,
  recurring: findRecurringOwner,
};

interface Target {
  pool: pg.Pool;
  projectId: string;
  id: string;
}

/** Runs a change of one entry, with its entry in the audit log of the project. */
async function change<T>(
  kind: EntryKind,
  id: string,
  action: string,
  work: (target: Target, config: ReturnType<typeof apiSettingsOf>) => Promise<T>,
): Promise<T> {
  const installation = await findInstallation();
  const config = apiSettingsOf(installation);
  return withDatabase(async (pool) => {
    const projectId = await findOwner[kind](pool, id);
    if (projectId === null) throw new UsageError(`${nouns[kind]} "${id}" not found.`);
    return audited(pool, byCli(projectId, action, id), () => work({ pool, projectId, id }, config));
  }, installation);
}

interface Printed {
  json?: boolean;
}

async function cancelJobOf(kind: JobKind, id: string, { json }: Printed): Promise<void> {
  // Loaded here, so that the other commands start fast.
  const { cancelJob } = await import('../../domains/broadcasts/jobs.js');
  const { status, sent, failed, skipped, total } = await change(
    kind,
    id,
    `${kind}.cancelled`,
    ({ pool, projectId }, config) => cancelJob({ pool, config }, projectId, kind, id),
  );
  const named = kind === 'broadcast' ? { job_id: id } : { batch_id: id };
  print({ ...named, status, sent, failed, skipped, total }, json, () =>
    status === 'cancelled'
      ? `${nouns[kind]} ${id} is cancelled: ${sent} of ${total} messages were sent.`
      : `${nouns[kind]} ${id} is being cancelled; messages in flight finish first.`,
  );
}

async function cancelScheduled(id: string, { json }: Printed): Promise<void> {
  const { cancelEntry } = await import('../../domains/scheduled/entries.js');
  const { status } = await change('scheduled', id, 'scheduled.cancelled', ({ pool, projectId }) =>
    cancelEntry({ pool }, projectId, id),
  );
  print({ scheduled_id: id, status }, json, () => `Scheduled message ${id} is cancelled.`);
}

async function cancelRecurring(id: string, { json }: Printed): Promise<void> {
  const { removeRecurring } = await import('../../domains/recurring/entries.js');
  await change('recurring', id, 'recurring.deleted', ({ pool, projectId }) =>
    removeRecurring({ pool }, projectId, id),
  );
  print(
    { recurring_id: id, status: 'ended' },
    json,
    () =>
      `Recurring message ${id} is deleted. A broadcast that is under way goes on: see "herald broadcasts list".`,
  );
}

async function setRecurring(id: string, status: 'active' | 'paused', { json }: Printed): Promise<void> {
  const { patchRecurring } = await import('../../domains/recurring/entries.js');
  const changed = await change('recurring', id, 'recurring.updated', ({ pool, projectId }, config) =>
    patchRecurring({ pool, config }, projectId, id, { status }),
  );
  print(
    { recurring_id: id, status: changed.status },
    json,
    () => `Recurring message ${id} is ${changed.status}.`,
  );
}

function withId(command: Command, noun: string): Command {
  return command.argument('<id>', `id of the ${noun}`, uuid).option('--json', 'print JSON');
}

export function addJobCancel(command: Command, kind: JobKind): void {
  const cancel = command
    .command('cancel')
    .description(`cancel a ${kind}; messages that were not sent yet are skipped`);
  withId(cancel, kind).action((id: string, options: Printed) => cancelJobOf(kind, id, options));
}

export function addScheduledCancel(command: Command): void {
  const cancel = command
    .command('cancel')
    .description('cancel a scheduled message that is not being sent yet');
  withId(cancel, 'scheduled message').action(cancelScheduled);
}

export function addRecurringStops(command: Command): void {
  const noun = 'recurring message';
  withId(command.command('pause').description(`pause a ${noun}; no further run starts`), noun).action(
    (id: string, options: Printed) => setRecurring(id, 'paused', options),
  );
  withId(command.command('activate').description(`resume a paused ${noun}`), noun).action(
    (id: string, options: Printed) => setRecurring(id, 'active', options),
  );
  withId(command.command('cancel').description(`delete a ${noun}; no further run starts`), noun).action(
    cancelRecurring,
  );
}
