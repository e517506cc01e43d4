import type { Command } from 'commander';
import { listOperatorEntries, type EntryKind } from '../broadcasts/queries/operators';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import { listOperatorTemplates } from '../templates/queries';
import { count } from './arguments';
import { withDatabase } from './context';
import { print, table } from './output';
import { requireProject } from './projects';

interface ListOptions {
  project?: string;
  status?: string;
  limit: number;
  json?: boolean;
}

/** Adds `list` to the command of a kind of message. */
function addList(command: Command, kind: EntryKind | 'template', plural: string): void {
  const list = command
    .command('list')
    .description(`list ${plural} of all projects, newest first`)
    .option('--project <slug>');
  // Templates have versions instead.
  if (kind !== 'template') list.option('--status <status>', 'only those with this status');
  list
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--json', 'print JSON')
    .action(async ({ project, status = '', limit, json }: ListOptions) => {
      const found = await withDatabase(async (pool) => {
        const projectId = project ? (await requireProject(pool, project)).id : null;
        if (kind === 'template') return listOperatorTemplates(pool, projectId, limit);
        return listOperatorEntries(pool, kind, { projectId, status: status || null, limit });
      });
      const shown = found.map((entry) => ({
        ...entry,
        next_at: isoTimeOrNull(entry.next_at),
        created_at: isoTime(entry.created_at),
      }));
      print(shown, json, () =>
        shown.length === 0
          ? `No ${plural} match.`
          : table(
              [kind, 'project', 'name', 'status', 'next', 'created'],
              shown.map(({ id, project: slug, name, status: state, next_at, created_at }) => [
                id,
                slug,
                name,
                state,
                next_at,
                created_at,
              ]),
            ),
      );
    });
}

export function addMessageLists(program: Command): void {
  addList(program.command('batch').description('batches of messages'), 'batch', 'batches');
  addList(program.command('scheduled').description('scheduled messages'), 'scheduled', 'scheduled messages');
  addList(program.command('recurring').description('recurring messages'), 'recurring', 'recurring messages');
  addList(program.command('template').description('message templates'), 'template', 'templates');
}
