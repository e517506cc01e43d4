import type { Command } from 'commander';
import type pg from 'pg';
import {
  listOperatorEntries,
  type EntryKind,
  type OperatorEntry,
} from '../../domains/broadcasts/queries/operators';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
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

/** What is printed as JSON: the names and values of the API. */
const presenters: Record<EntryKind, (entry: OperatorEntry) => object> = {
  broadcast: ({ id, project, status, total, created_at }: OperatorEntry) => ({
    job_id: id,
    project,
    status,
    total,
    created_at: isoTime(created_at),
  }),
  batch: ({ id, project, status, total, created_at }: OperatorEntry) => ({
    batch_id: id,
    project,
    status,
    total,
    created_at: isoTime(created_at),
  }),
  scheduled: ({ id, project, name, status, next_at, created_at }: OperatorEntry) => ({
    scheduled_id: id,
    project,
    name,
    status,
    next_at: isoTimeOrNull(next_at),
    created_at: isoTime(created_at),
  }),
  recurring: ({ id, project, name, cron, status, next_at, created_at }: OperatorEntry) => ({
    recurring_id: id,
    project,
    name,
    cron,
    status,
    next_run_at: isoTimeOrNull(next_at),
    created_at: isoTime(created_at),
  }),
};

function presentTemplate({ key, project, name, version, created_at }: OperatorTemplate) {
  return { key, project, name, version, created_at: isoTime(created_at) };
}

/** Of a broadcast or batch its size, of a recurring message also when it recurs. */
function nameOf({ name, total, cron }: OperatorEntry): string | null {
  if (total !== null) return `${total} messages`;
  return cron === null ? name : `${name} (${cron})`;
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

function addList(command: Command, kind: EntryKind, plural: string): void {
  const list = addListCommand(command, plural).option('--status <status>', 'only those with this status');
  withLimit(list).action(async ({ project, status = '', limit, json }: ListOptions) => {
    const found = await withDatabase(async (pool) =>
      listOperatorEntries(pool, kind, {
        projectId: await projectIdOf(pool, project),
        status: status || null,
        limit,
      }),
    );
    print(found.map(presenters[kind]), json, () => {
      if (found.length === 0) return `No ${plural} match.`;
      const head = [kind, 'project', 'name', 'status', 'next', 'created'];
      const rows = found.map((entry) => [
        entry.id,
        entry.project,
        nameOf(entry),
        entry.status,
        isoTimeOrNull(entry.next_at),
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
  const broadcasts = program.command('broadcasts').description('broadcasts');
  addList(broadcasts, 'broadcast', 'broadcasts');
  addJobCancel(broadcasts, 'broadcast');
  const batch = program.command('batch').description('batches of messages');
  addList(batch, 'batch', 'batches');
  addJobCancel(batch, 'batch');
  const scheduled = program.command('scheduled').description('scheduled messages');
  addList(scheduled, 'scheduled', 'scheduled messages');
  addScheduledCancel(scheduled);
  const recurring = program.command('recurring').description('recurring messages');
  addList(recurring, 'recurring', 'recurring messages');
  addRecurringStops(recurring);
  addTemplateList(program.command('template').description('message templates'));
}
