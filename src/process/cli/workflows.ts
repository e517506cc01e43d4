import { existsSync } from 'node:fs';
import path from 'node:path';
import type { HistoryAndWorkflowId } from '@temporalio/client';
import type { Command } from 'commander';
import pino from 'pino';
import type { ReplayOutcome } from '../operations/replay';
import { packageRoot } from '../../base/lib/package-root';
import { count, since } from './arguments';
import { UsageError } from './context';
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
    throw new UsageError('Pass workflow ids or history files, or one of --failed and --open.');
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
  const [{ replayHistories }, { installRuntime }] = await Promise.all([
    import('../operations/replay.js'),
    import('../../base/temporal/workers.js'),
  ]);
  const bundlePath = bundle ?? path.join(packageRoot, 'dist', 'workflow-bundle.js');
  if (!existsSync(bundlePath)) throw new UsageError(`Workflow bundle ${bundlePath} not found.`);
  // The outcomes report what the replay finds; the log of Temporal's core would repeat it.
  await installRuntime(pino({ level: 'silent' }));
  const progress = startProgress('replaying');
  const outcomes: ReplayOutcome[] = [];
  try {
    for await (const outcome of replayHistories(bundlePath, histories)) {
      outcomes.push(outcome);
      progress.at(outcomes.length, total);
    }
  } finally {
    progress.end();
  }
  return outcomes;
}

function report(outcomes: ReplayOutcome[], diverged: ReplayOutcome[]): string {
  if (outcomes.length === 0) return 'No workflows match.';
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
    () => `Workflow ${workflowId} was reset to event ${answer.event_id}; its new run is ${answer.run_id}.`,
  );
}

export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('workflow histories in Temporal');
  workflows
    .command('replay')
    .description('replay histories with this code and report where they diverge; exits with 1 if one does')
    .argument('[what...]', 'workflow ids, or history files from the Temporal UI')
    .option('--failed', 'failed workflows')
    .option('--open', 'running workflows, which a deployment must be able to continue')
    .option(
      '--since <time>',
      'ended (--failed) or started (--open) since a time or an age like 30m, 2h, 7d',
      since,
    )
    .option('--limit <n>', 'maximum number of --failed or --open workflows', count(100_000), 1000)
    .option('--run <id>', 'run id; default: the newest run')
    .option('--bundle <file>', 'workflow bundle of another build')
    .option('--json', 'print JSON')
    .action(replay);
  workflows
    .command('reset')
    .description(
      'continue a workflow from an earlier event with the current code; recorded attempts are not repeated',
    )
    .argument('<id>', 'workflow id, like delivery/<delivery id>')
    .option(
      '--event <n>',
      'continue after the last workflow task completed at or before this event; default: the first',
      count(1_000_000),
    )
    .option('--reason <text>', 'shown in the Temporal UI', 'herald workflows reset')
    .option('--json', 'print JSON')
    .action(reset);
}
