import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { readHistoryJson, type History } from '../../base/temporal/history-json';
import type { TaskQueues } from '../../base/temporal/names';
import { OperationRefused } from './refused';

export interface WorkflowHistory {
  workflowId: string;
  history: History;
}

/** Reads a history exported by the Temporal UI or the `temporal` CLI. */
export async function historyFromFile(file: string): Promise<WorkflowHistory> {
  let history: History;
  try {
    history = readHistoryJson(await readFile(file, 'utf8'));
  } catch (error) {
    throw new OperationRefused(`The file ${file} is not a workflow history (${(error as Error).message}).`, {
      cause: error,
    });
  }
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new OperationRefused(`The file ${file} is not a workflow history.`);
  return { workflowId: started.workflowId || path.basename(file, '.json'), history };
}

/** The history of the latest run, or of `runId`. */
export async function historyOf(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowHistory> {
  try {
    return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new OperationRefused(`Workflow "${workflowId}" not found in Temporal.`);
  }
}

export interface HistoryFilter {
  /** `failed`: needs attention. `open`: would have to continue on a new deployment. */
  state: 'failed' | 'open';
  /** ISO time; compared with the end of failed workflows and the start of open ones. */
  since?: string | undefined;
}

/** A visibility query for this installation's workflows in the given state. */
export function visibilityQuery({ state, since }: HistoryFilter, queues: TaskQueues): string {
  const ownQueues = `TaskQueue IN (${Object.values(queues)
    .map((queue) => `"${queue}"`)
    .join(', ')})`;
  const time = state === 'failed' ? 'CloseTime' : 'StartTime';
  const conditions = [ownQueues, `ExecutionStatus = "${state === 'failed' ? 'Failed' : 'Running'}"`];
  if (since) conditions.push(`${time} >= "${since}"`);
  return conditions.join(' AND ');
}

/** Yields histories one at a time, so that they need not all fit in memory. */
export async function* historiesByQuery(
  client: Client,
  query: string,
  limit: number,
): AsyncGenerator<WorkflowHistory> {
  let count = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (count++ === limit) return;
    const history = await client.workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch((error: unknown) => {
        // Its retention expired after it was listed.
        if (isNotFound(error)) return null;
        throw error;
      });
    if (history) yield { workflowId, history };
  }
}

const GRPC_NOT_FOUND = 5;

/** The server reports an unknown workflow's history as a plain gRPC error. */
function isNotFound(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  return isGrpcServiceError(error) && Number(error.code) === GRPC_NOT_FOUND;
}
