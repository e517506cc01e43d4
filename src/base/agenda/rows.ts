import type { Client } from '@temporalio/client';
import { searchAttributes } from '../temporal/names';
import type { Kind } from './relay';
import { workflowKind } from './workflow';

/** Only the id: Postgres has the row. */
export interface RowInput {
  id: string;
}

/** The state of a row after what was due has been done. */
export interface Advanced<Status extends string = string> {
  status: Status;
  /** How far it has come, for operators: a step, numbers. */
  progress: string | null;
  /** When its workflow reads it again; null if it has nothing left to do. */
  nextAt: Date | null;
  /** Until then, by the database's clock: by the Temporal server's the row may seem due while it is not. */
  waitMs: number;
}

/** In the histories of workflows. Only states and times, because operators can read them. */
export interface RowState extends Omit<Advanced, 'nextAt'> {
  /** ISO 8601. */
  nextAt: string | null;
}

/** The workflow ends, until the row is due in the agenda again. */
export function nothingDue<Status extends string>(
  status: Status,
  progress: string | null = null,
): Advanced<Status> {
  return { status, progress, nextAt: null, waitMs: 0 };
}

/** `now` is the database's time. */
export function dueAgain<Status extends string>(
  status: Status,
  nextAt: Date,
  now: Date,
  progress: string | null = null,
): Advanced<Status> {
  return { status, progress, nextAt, waitMs: Math.max(0, nextAt.getTime() - now.getTime()) };
}

export interface RowKind {
  /** Also the name of its workflow, and of the workflow's activity. */
  name: string;
  taskQueue: string;
  workflowId(id: string): string;
  /** Reads the row; null if it does not exist any more. */
  find(id: string): Promise<{ status: string; next_at?: Date | null; summary: string } | null>;
  concurrency?: number;
  perProject?: number;
}

/** A kind whose rows have the workflow of `workflows/row.ts`, which does what is due and sleeps until the row's next time. */
export function rowKind({ client }: { client: Client }, { name, find, ...options }: RowKind): Kind {
  return workflowKind<(input: RowInput) => Promise<RowState>>(
    { client },
    {
      name,
      ...options,
      workflow: name,
      async startOf(id) {
        const row = await find(id);
        if (!row) return null;
        const { status, next_at, summary } = row;
        return {
          args: [{ id }],
          summary,
          attributes: [
            { key: searchAttributes.State, value: status },
            ...(next_at ? [{ key: searchAttributes.NextAt, value: next_at }] : []),
          ],
        };
      },
    },
  );
}
