import type { Command } from 'commander';
import type pg from 'pg';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { enrolmentStatuses, type EnrolmentStatus } from '../../domains/drip/contract';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import {
  findAnyChain,
  findAnyEnrolment,
  listOperatorChains,
  listOperatorEnrolments,
  type OperatorChain,
  type OperatorEnrolment,
} from '../../domains/drip/queries/operators';
import { audited, byCli } from '../../domains/projects';
import { workflowIds } from '../../base/temporal/names';
import { count, oneOf, uuid } from './arguments';
import { apiSettingsOf, findInstallation, UsageError, withDatabase } from './context';
import { facts, print, table } from './output';
import { requireProject } from './projects';

function present({ id, project, name, status, version, trigger, ...counts }: OperatorChain) {
  const { active, parked, late, created_at } = counts;
  return {
    drip_id: id,
    project,
    name,
    status,
    version,
    trigger_type: trigger.type,
    active,
    parked,
    late,
    created_at: isoTime(created_at),
  };
}

async function requireAnyChain(pool: pg.Pool, id: string): Promise<OperatorChain> {
  const found = await findAnyChain(pool, id);
  if (!found) throw new UsageError(`Drip chain "${id}" not found.`);
  return found;
}

async function list(options: { project?: string; limit: number; json?: boolean }): Promise<void> {
  const found = await withDatabase(async (pool) => {
    const projectId = options.project ? (await requireProject(pool, options.project)).id : null;
    return listOperatorChains(pool, projectId, options.limit);
  });
  const chains = found.map(present);
  print(chains, options.json, () =>
    chains.length === 0
      ? 'No drip chains.'
      : table(
          ['chain', 'project', 'name', 'status', 'trigger', 'active', 'parked', 'late'],
          chains.map((chain) => [
            chain.drip_id,
            chain.project,
            chain.name,
            chain.status,
            chain.trigger_type,
            chain.active,
            chain.parked,
            chain.late,
          ]),
        ),
  );
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  const { statsOf } = await import('../../domains/drip/stats.js');
  const { requireChain } = await import('../../domains/drip/chains.js');
  const shown = await withDatabase(async (pool) => {
    const found = await requireAnyChain(pool, id);
    const stats = await statsOf(pool, await requireChain(pool, found.project_id, id), undefined);
    return { ...present(found), enrolled: stats.enrolled, completed: stats.completed, steps: stats.steps };
  });
  print(shown, json, () => {
    const { steps, ...fields } = shown;
    const rows = steps.map((step) => [step.step_id, step.reached, step.sent, step.failed, step.skipped]);
    return `${facts(Object.entries(fields))}\n\n${table(['step', 'reached', 'sent', 'failed', 'skipped'], rows)}`;
  });
}

async function setStatus(id: string, status: 'active' | 'paused', json: boolean | undefined): Promise<void> {
  // Loaded here, so that the other commands start fast.
  const { patchChain } = await import('../../domains/drip/chains.js');
  const installation = await findInstallation();
  const config = apiSettingsOf(installation);
  const changed = await withDatabase(async (pool) => {
    const { project_id } = await requireAnyChain(pool, id);
    await audited(pool, byCli(project_id, 'drip_chain.updated', id), () =>
      patchChain({ pool, config }, project_id, id, { status }),
    );
    return present(await requireAnyChain(pool, id));
  }, installation);
  print(changed, json, () => `Drip chain ${id} is ${changed.status}.`);
}

/** A chain with all its enrolments, or one enrolment. */
async function cancel(id: string, { json }: { json?: boolean }): Promise<void> {
  // Loaded here, so that the other commands start fast.
  const [{ removeChain }, { cancelOne }] = await Promise.all([
    import('../../domains/drip/chains.js'),
    import('../../domains/drip/enrolments.js'),
  ]);
  const installation = await findInstallation();
  const config = apiSettingsOf(installation);
  const cancelled = await withDatabase(async (pool) => {
    const enrolment = await findAnyEnrolment(pool, id);
    if (enrolment) {
      const { project_id, drip_id } = enrolment;
      await audited(pool, byCli(project_id, 'enrolment.cancelled', id), () =>
        cancelOne({ pool }, project_id, drip_id, id),
      );
      return { enrolment_id: id, drip_id, status: 'cancelled' };
    }
    const { project_id } = await requireAnyChain(pool, id);
    await audited(pool, byCli(project_id, 'drip_chain.deleted', id), () =>
      removeChain({ pool, config }, project_id, id),
    );
    return { drip_id: id, status: 'cancelled' };
  }, installation);
  print(cancelled, json, () =>
    'enrolment_id' in cancelled
      ? `Enrolment ${id} is cancelled.`
      : `Drip chain ${id} is deleted and sends nothing more; its enrolments are cancelled.`,
  );
}

function presentEnrolment(
  { id, subscriber_id, version, status, reason, ...rest }: OperatorEnrolment,
  format: SubscriberIdFormat,
) {
  return {
    enrolment_id: id,
    subscriber_id: formatSubscriberId(subscriber_id, format),
    version,
    status,
    parked: rest.parked,
    reason,
    step_id: rest.step_id,
    next_at: isoTimeOrNull(rest.next_at),
    started_at: isoTime(rest.started_at),
    ended_at: isoTimeOrNull(rest.ended_at),
    workflow_id: workflowIds.drip(id),
  };
}

function enrolmentState({ status, parked, reason }: ReturnType<typeof presentEnrolment>): string {
  if (parked) return 'parked';
  return reason === null ? status : `${status}: ${reason}`;
}

interface EnrolmentOptions {
  chain: string;
  status?: EnrolmentStatus;
  limit: number;
  json?: boolean;
}

async function enrolments({ chain, status, limit, json }: EnrolmentOptions): Promise<void> {
  const installation = await findInstallation();
  const found = await withDatabase(async (pool) => {
    await requireAnyChain(pool, chain);
    return listOperatorEnrolments(pool, chain, status ?? null, limit);
  }, installation);
  const format = installation.settings.HERALD_SUBSCRIBER_ID_FORMAT;
  const shown = found.map((enrolment) => presentEnrolment(enrolment, format));
  print(shown, json, () =>
    shown.length === 0
      ? 'No enrolments match.'
      : table(
          ['enrolment', 'subscriber', 'status', 'step', 'next', 'started'],
          shown.map((each) => [
            each.enrolment_id,
            each.subscriber_id,
            enrolmentState(each),
            each.step_id,
            each.next_at,
            each.started_at,
          ]),
        ),
  );
}

export function addDripCommands(program: Command): void {
  const drip = program.command('drip').description('drip chains of all projects');
  drip
    .command('list')
    .description('list chains, newest first, with their active, parked and late enrolments')
    .option('--project <slug>')
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--json', 'print JSON')
    .action(list);
  drip
    .command('show')
    .description('show a chain with the counts of its steps')
    .argument('<id>', 'id of the chain', uuid)
    .option('--json', 'print JSON')
    .action(show);
  drip
    .command('pause')
    .description('pause a chain; steps that come due wait')
    .argument('<id>', 'id of the chain', uuid)
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) => setStatus(id, 'paused', json));
  drip
    .command('activate')
    .description('activate a chain; waiting enrolments resume, ten a second')
    .argument('<id>', 'id of the chain', uuid)
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) => setStatus(id, 'active', json));
  drip
    .command('cancel')
    .description('delete a chain and cancel its enrolments, or cancel one enrolment')
    .argument('<id>', 'id of the chain, or of the enrolment', uuid)
    .option('--json', 'print JSON')
    .action(cancel);
  drip
    .command('enrolments')
    .description('list the enrolments of a chain, most overdue first')
    .requiredOption('--chain <id>', 'id of the chain', uuid)
    .option(
      '--status <status>',
      'active (parked ones included), completed, exited, cancelled',
      oneOf(enrolmentStatuses),
    )
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--json', 'print JSON')
    .action(enrolments);
}
