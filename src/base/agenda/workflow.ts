import type { Client, Workflow } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Db } from '../db/pool';
import { searchAttributes, signals } from '../temporal/names';
import { START_LIMIT_MS, within } from '../temporal/within';
import { scheduleAt, unschedule, type Next } from './queries';
import type { Kind } from './relay';

/** A row whose workflow has not reported for so long after it had something due has lost it. */
const OVERDUE_MS = 120_000;

/** With what a row's workflow starts. */
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
  /** Reads the row. Null: it is gone. */
  startOf(id: string): Promise<Start<W> | null>;
  concurrency?: number;
  perProject?: number;
}

/**
 * A kind whose rows have a workflow: it is started, or reads its row again because that has `changed`. One that was terminated
 * is replaced. The workflow reports with `reportNext` when its row is due next.
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
 * A workflow has done what was due, in this transaction, and its row is due next at this time. The entry is due a little later,
 * and then finds a workflow that is gone. Null: nothing is due, and the workflow ends.
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
