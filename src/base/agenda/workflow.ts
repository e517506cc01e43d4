import type { Client, Workflow } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Db } from '../db/pool';
import { searchAttributes, signals } from '../temporal/names';
import { START_LIMIT_MS, within } from '../temporal/within';
import { scheduleAt, unschedule, type Next } from './queries';
import type { Kind } from './relay';

/** A workflow that has not reported for this long after its row's time is lost. */
const OVERDUE_MS = 120_000;

/** The arguments of a row's workflow, and what the Temporal UI shows of it. */
export interface Start<W extends Workflow> {
  args: Parameters<W>;
  /** One line for the Temporal UI, without personal data. */
  summary: string;
  attributes?: SearchAttributePair[];
}

export interface WorkflowKind<W extends Workflow> {
  name: string;
  workflow: string;
  taskQueue: string;
  workflowId(id: string): string;
  /** Reads the row; null if it does not exist any more. */
  startOf(id: string): Promise<Start<W> | null>;
  concurrency?: number;
  perProject?: number;
}

/**
 * A kind whose rows have a workflow. A due entry starts the workflow, or signals `changed`, so that it reads its row again; one
 * that was terminated is replaced. The workflow reports with `reportNext` when its row is due next.
 */
export function workflowKind<W extends Workflow>(
  { client }: { client: Client },
  { name, workflow, taskQueue, workflowId, startOf, ...options }: WorkflowKind<W>,
): Kind {
  return {
    name,
    concurrency: 16,
    perProject: 8,
    ...options,
    async advance({ id, project_id }) {
      const start = await startOf(id);
      if (!start) return null;
      await within(client, START_LIMIT_MS, () =>
        client.workflow.signalWithStart<Workflow>(workflow, {
          workflowId: workflowId(id),
          taskQueue,
          args: start.args,
          signal: signals.changed,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: start.summary,
          typedSearchAttributes: [
            { key: searchAttributes.ProjectId, value: project_id },
            ...(start.attributes ?? []),
          ],
        }),
      );
      return { inMs: OVERDUE_MS };
    },
  };
}

/**
 * Called in the transaction in which a workflow's activity has done what was due: `next` is when its row is due next. The entry
 * is due later than that, so it finds only a lost workflow. Null: nothing is due, and the workflow ends.
 */
export async function reportNext(
  db: Db,
  kind: string,
  { id, project_id }: { id: string; project_id: string },
  next: Next,
): Promise<void> {
  if (next === null) await unschedule(db, kind, [id]);
  else await scheduleAt(db, kind, [{ id, project_id, at: overdueAfter(next) }]);
}

function overdueAfter(next: NonNullable<Next>): NonNullable<Next> {
  return next instanceof Date ? new Date(next.getTime() + OVERDUE_MS) : { inMs: next.inMs + OVERDUE_MS };
}
