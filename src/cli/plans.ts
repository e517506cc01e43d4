import type { Command } from 'commander';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import { listPlans, type PlanListKind } from '../operations/queries/plans';
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

/** Adds `list` to the command of a kind of planned message. */
export function addPlanList(command: Command, kind: PlanListKind, plural: string): void {
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
      const found = await withDatabase(async (pool) =>
        listPlans(pool, kind, {
          projectId: project ? (await requireProject(pool, project)).id : null,
          status: status || null,
          limit,
        }),
      );
      const shown = found.map((plan) => ({
        ...plan,
        next_at: isoTimeOrNull(plan.next_at),
        created_at: isoTime(plan.created_at),
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

export function addPlanCommands(program: Command): void {
  addPlanList(program.command('batch').description('batches of messages'), 'batch', 'batches');
  addPlanList(
    program.command('scheduled').description('scheduled messages'),
    'scheduled',
    'scheduled messages',
  );
  addPlanList(
    program.command('recurring').description('recurring messages'),
    'recurring',
    'recurring messages',
  );
  addPlanList(program.command('template').description('message templates'), 'template', 'templates');
}
