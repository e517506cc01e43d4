import type { Command } from 'commander';
import type pg from 'pg';
import { listOperatorJobs, type OperatorJob } from '../../domains/broadcasts/queries/operators';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { listOperatorRecurring, type OperatorRecurring } from '../../domains/recurring/queries/operators';
import { listOperatorScheduled, type OperatorScheduled } from '../../domains/scheduled/queries/operators';
import { listOperatorTemplates, type OperatorTemplate } from '../../domains/templates/queries';
import { count } from './arguments';
import { withDatabase } from './context';
import { print, table } from './output';
import { requireProject } from './projects';
import { addJobCancel, addRecurringStops, addScheduledCancel } from './stop-messages';

interface ListOptions {
  project?: string;
  status?: string;
  limit: number;
  json?: boolean;
}

interface Entry {
  id: string;
  project: string;
  status: string;
  /** Of a message that waits for its time. */
  next_at?: Date | null;
  created_at: Date;
}

/** What is listed of one kind of message. */
interface Listed<T extends Entry> {
  kind: string;
  plural: string;
  list(
    pool: pg.Pool,
    filter: { projectId: string | null; status: string | null; limit: number },
  ): Promise<T[]>;
  nameOf(entry: T): string | null;
  /** What is printed as JSON: the names and values of the API. */
  present(entry: T): object;
}

const sizeOf = ({ total }: OperatorJob) => `${total} messages`;

const broadcasts: Listed<OperatorJob> = {
  kind: 'broadcast',
  plural: 'broadcasts',
  list: (pool, filter) => listOperatorJobs(pool, 'broadcast', filter),
  nameOf: sizeOf,
  present: ({ id, created_at, ...rest }) => ({ job_id: id, ...rest, created_at: isoTime(created_at) }),
};

const batches: Listed<OperatorJob> = {
  kind: 'batch',
  plural: 'batches',
  list: (pool, filter) => listOperatorJobs(pool, 'batch', filter),
  nameOf: sizeOf,
  present: ({ id, created_at, ...rest }) => ({ batch_id: id, ...rest, created_at: isoTime(created_at) }),
};

const scheduledMessages: Listed<OperatorScheduled> = {
  kind: 'scheduled',
  plural: 'scheduled messages',
  list: listOperatorScheduled,
  nameOf: ({ name }) => name,
  present: ({ id, next_at, created_at, ...rest }) => ({
    scheduled_id: id,
    ...rest,
    next_at: isoTimeOrNull(next_at),
    created_at: isoTime(created_at),
  }),
};

const recurringMessages: Listed<OperatorRecurring> = {
  kind: 'recurring',
  plural: 'recurring messages',
  list: listOperatorRecurring,
  nameOf: ({ name, cron }) => `${name} (${cron})`,
  present: ({ id, next_at, created_at, ...rest }) => ({
    recurring_id: id,
    ...rest,
    next_run_at: isoTimeOrNull(next_at),
    created_at: isoTime(created_at),
  }),
};

function presentTemplate({ key, project, name, version, created_at }: OperatorTemplate) {
  return { key, project, name, version, created_at: isoTime(created_at) };
}

async function projectIdOf(pool: pg.Pool, slug: string | undefined): Promise<string | null> {
  return slug ? (await requireProject(pool, slug)).id : null;
}

function addListCommand(command: Command, plural: string): Command {
  return command
    .command('list')
    .description(`list ${plural} of all projects, newest first`)
    .option('--project <slug>');
}

function withLimit(list: Command): Command {
  return list.option('--limit <n>', 'maximum number of rows', count(1000), 50).option('--json', 'print JSON');
}

function addList<T extends Entry>(
  command: Command,
  { kind, plural, list: listEntries, nameOf, present }: Listed<T>,
): void {
  const list = addListCommand(command, plural).option('--status <status>', 'only those with this status');
  withLimit(list).action(async ({ project, status = '', limit, json }: ListOptions) => {
    const found = await withDatabase(async (pool) =>
      listEntries(pool, {
        projectId: await projectIdOf(pool, project),
        status: status || null,
        limit,
      }),
    );
    print(found.map(present), json, () => {
      if (found.length === 0) return `No ${plural} match.`;
      const head = [kind, 'project', 'name', 'status', 'next', 'created'];
      const rows = found.map((entry) => [
        entry.id,
        entry.project,
        nameOf(entry),
        entry.status,
        isoTimeOrNull(entry.next_at ?? null),
        isoTime(entry.created_at),
      ]);
      return table(head, rows);
    });
  });
}

function addTemplateList(command: Command): void {
  withLimit(addListCommand(command, 'templates')).action(async ({ project, limit, json }: ListOptions) => {
    const found = await withDatabase(async (pool) =>
      listOperatorTemplates(pool, await projectIdOf(pool, project), limit),
    );
    const shown = found.map(presentTemplate);
    print(shown, json, () => {
      if (shown.length === 0) return 'No templates match.';
      const rows = shown.map((each) => [each.key, each.project, each.name, each.version, each.created_at]);
      return table(['template', 'project', 'name', 'version', 'created'], rows);
    });
  });
}

export function addMessageCommands(program: Command): void {
  const broadcast = program.command('broadcasts').description('broadcasts');
  addList(broadcast, broadcasts);
  addJobCancel(broadcast, 'broadcast');
  const batch = program.command('batch').description('batches of messages');
  addList(batch, batches);
  addJobCancel(batch, 'batch');
  const scheduled = program.command('scheduled').description('scheduled messages');
  addList(scheduled, scheduledMessages);
  addScheduledCancel(scheduled);
  const recurring = program.command('recurring').description('recurring messages');
  addList(recurring, recurringMessages);
  addRecurringStops(recurring);
  addTemplateList(program.command('template').description('message templates'));
}
