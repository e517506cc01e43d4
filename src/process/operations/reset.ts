import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { History } from '../../base/temporal/history-json';
import type { TaskQueues } from '../../base/temporal/names';
import { OperationRefused } from './refused';
import { historyOf } from './workflow-histories';

export interface ResetRequest {
  workflowId: string;
  /** Default: the first workflow task, which restarts the workflow. */
  eventId?: number | undefined;
  reason: string;
}

export interface ResetResult {
  workflow_id: string;
  /** The completed workflow task from which it continues. */
  event_id: number;
  run_id: string;
}

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED: completed } = temporal.api.enums.v1.EventType;

/**
 * Resets a workflow to an earlier point, with the current code. Nothing is done twice: recorded attempts and decided
 * sessions are in their rows.
 */
export async function resetWorkflow(
  { client, namespace, queues }: { client: Client; namespace: string; queues: TaskQueues },
  { workflowId, eventId, reason }: ResetRequest,
): Promise<ResetResult> {
  const { history } = await historyOf(client, workflowId);
  requireOwnQueue(history, workflowId, queues);
  const target = resetPoint(history, eventId);
  if (target === null) {
    throw new OperationRefused(
      eventId === undefined
        ? `Workflow "${workflowId}" has not run yet: there is nothing to reset.`
        : `Workflow "${workflowId}" has no completed workflow task at or before event ${eventId}.`,
    );
  }
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: target,
    reason,
    requestId: randomUUID(),
  });
  return { workflow_id: workflowId, event_id: Number(target), run_id: runId };
}

/** The namespace may be shared with other applications, whose workflows must not be reset. */
function requireOwnQueue(history: History, workflowId: string, queues: TaskQueues): void {
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const queue = started?.taskQueue?.name ?? '';
  if ((Object.values(queues) as string[]).includes(queue)) return;
  throw new OperationRefused(
    `Workflow "${workflowId}" runs on the task queue "${queue}", which does not belong to this installation.`,
  );
}

/** The first completed workflow task, or the last one up to `eventId`. */
function resetPoint(history: History, eventId: number | undefined) {
  const ends = (history.events ?? []).flatMap((event) =>
    event.eventType === completed && event.eventId ? [event.eventId] : [],
  );
  if (eventId === undefined) return ends[0] ?? null;
  return ends.filter((id) => Number(id) <= eventId).at(-1) ?? null;
}
