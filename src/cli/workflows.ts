import { existsSync } from 'node:fs';
import path from 'node:path';
import type { HistoryAndWorkflowId } from '@temporalio/client';
import type { Command } from 'commander';
import pino from 'pino';
import type { ReplayOutcome } from '../operations/replay';
import { packageRoot } from '../lib/package-root';
import { count, since } from './arguments';
import { findInstallation, UsageError } from './context';
import { print, table } from './output';
import { startProgress } from './progress';
import { withTemporal } from './temporal';

interface ReplayOptions {
  failed?: boolean;
  open?: boolean;
  since?: string;
  limit: number;
  run?: string;
  bundle?: string;
  json?: boolean;
}

async function replay(what: string[], options: ReplayOptions): Promise<void> {
  const asked = [what.length > 0, options.failed, options.open].filter(Boolean).length;
  if (asked !== 1) {
    throw new UsageError('Give workflow ids or files of histories, or one of --failed and --open.');
  }
  const outcomes = what.length > 0 ? await replayNamed(what, options) : await replayFound(options);
  const diverged = outcomes.filter((outcome) => !outcome.ok);
  print(outcomes, options.json, () => report(outcomes, diverged));
  if (diverged.length > 0) process.exitCode = 1;
}

async function replayNamed(what: string[], options: ReplayOptions): Promise<ReplayOutcome[]> {
  const { historyFromFile, historyOf } = await import('../operations/workflow-histories.js');
  const files = what.filter((name) => existsSync(name));
  const ids = what.filter((name) => !existsSync(name));
  const histories = await Promise.all(files.map(historyFromFile));
  if (ids.length > 0) {
    const fetched = await withTemporal(({ client }) =>
      Promise.all(ids.map((id) => historyOf(client, id, options.run))),
    );
    histories.push(...fetched);
  }
  return run(options, histories, histories.length);
}

async function replayFound(options: ReplayOptions): Promise<ReplayOutcome[]> {
  const { historiesByQuery, visibilityQuery } = await import('../operations/workflow-histories.js');
  return withTemporal(async ({ client, queues }) => {
    const state = options.failed ? 'failed' : 'open';
    const query = visibilityQuery({ state, since: options.since }, queues);
    const { count: found } = await client.workflow.count(query);
    const total = Math.min(found, options.limit);
    if (total === 0) return [];
    return run(options, historiesByQuery(client, query, options.limit), total);
  });
}

async function run(
  { bundle }: ReplayOptions,
  histories: AsyncIterable<HistoryAndWorkflowId> | Iterable<HistoryAndWorkflowId>,
  total: number,
): Promise<ReplayOutcome[]> {
  const [{ replayHistories }, { installRuntime }, { bundleName, createDataConverter }] = await Promise.all([
    import('../operations/replay.js'),
    import('../temporal/workers.js'),
    import('../temporal/data-converter.js'),
  ]);
  const { HERALD_PAYLOAD_KEYS: keys } = (await findInstallation()).settings;
  const bundlePath = bundle ?? path.join(packageRoot, 'dist', bundleName({ sealed: keys !== undefined }));
  if (!existsSync(bundlePath)) throw new UsageError(`There is no bundle ${bundlePath}.`);
  // What the replay finds is its result; the core's own words about it would only be noise.
  await installRuntime(pino({ level: 'silent' }));
  const progress = startProgress('replaying');
  const outcomes: ReplayOutcome[] = [];
  try {
    for await (const outcome of replayHistories(
      { bundlePath, dataConverter: createDataConverter(keys) },
      histories,
    )) {
      outcomes.push(outcome);
      progress.at(outcomes.length, total);
    }
  } finally {
    progress.end();
  }
  return outcomes;
}

function report(outcomes: ReplayOutcome[], diverged: ReplayOutcome[]): string {
  if (outcomes.length === 0) return 'There is no such workflow.';
  const summary = `${outcomes.length - diverged.length} of ${outcomes.length} histories replay with this code.`;
  if (diverged.length === 0) return summary;
  const rows = diverged.map((outcome) => [
    outcome.workflow_id,
    outcome.event_id,
    outcome.event_type,
    firstLine(outcome.problem),
  ]);
  return `${summary}\n${table(['workflow', 'event', 'type', 'problem'], rows)}`;
}

function firstLine(text: string | null): string {
  const [line = ''] = (text ?? '').split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

async function reset(
  workflowId: string,
  options: { event?: number; reason: string; json?: boolean },
): Promise<void> {
  const { resetWorkflow } = await import('../operations/reset.js');
  const answer = await withTemporal((temporal) =>
    resetWorkflow(temporal, { workflowId, eventId: options.event, reason: options.reason }),
  );
  print(
    answer,
    options.json,
    () => `The workflow ${workflowId} goes on from event ${answer.event_id} as run ${answer.run_id}.`,
  );
}

export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('histories in Temporal');
  workflows
    .command('replay')
    .description('replay histories with this code and say where they part; exit code 1 where one does')
    .argument('[what...]', 'workflow ids, or files from the Temporal UI')
    .option('--failed', 'those that failed')
    .option('--open', 'those that are running: what a deployment has to go on with')
    .option(
      '--since <time>',
      'ended (--failed) or started (--open) since then: a time, or 30m, 2h, 7d ago',
      since,
    )
    .option('--limit <n>', 'at most so many of --failed or --open', count(100_000), 1000)
    .option('--run <id>', 'another run of the workflow than its newest')
    .option('--bundle <file>', 'code of another build to replay with')
    .option('--json', 'print JSON')
    .action(replay);
  workflows
    .command('reset')
    .description(
      'let a workflow go on from an earlier event with the code of now; nothing is sent twice by it',
    )
    .argument('<id>', 'workflow id, like delivery/<delivery id>')
    .option(
      '--event <n>',
      'go on from the workflow task that ended at or before it; default: the first',
      count(1_000_000),
    )
    .option('--reason <text>', 'shown in the Temporal UI', 'herald workflows reset')
    .option('--json', 'print JSON')
    .action(reset);
}
