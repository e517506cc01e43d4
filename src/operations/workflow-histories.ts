import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { readHistoryJson, type History } from '../temporal/history-json';
import type { TaskQueues } from '../temporal/names';
import { OperationRefused } from './refused';

export interface WorkflowHistory {
  workflowId: string;
  history: History;
}

/** A history as the Temporal UI and the `temporal` program write it. */
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

/** The newest run, or the one named. */
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
  /** Failed: what needs a person. Open: what a deployment would have to go on with. */
  state: 'failed' | 'open';
  /** ISO; by the end of failed ones, by the start of open ones. */
  since?: string | undefined;
}

/** As the Temporal UI takes it: our own workflows in that state. */
export function visibilityQuery({ state, since }: HistoryFilter, queues: TaskQueues): string {
  const ours = `TaskQueue IN (${Object.values(queues)
    .map((queue) => `"${queue}"`)
    .join(', ')})`;
  const time = state === 'failed' ? 'CloseTime' : 'StartTime';
  const conditions = [ours, `ExecutionStatus = "${state === 'failed' ? 'Failed' : 'Running'}"`];
  if (since) conditions.push(`${time} >= "${since}"`);
  return conditions.join(' AND ');
}

/** Histories one after another: many can be looked at without holding them all. */
export async function* historiesByQuery(
  client: Client,
  query: string,
  limit: number,
): AsyncGenerator<WorkflowHistory> {
  let taken = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (taken++ === limit) return;
    const history = await client.workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch((error: unknown) => {
        // Its retention ended between the list and this question.
        if (isNotFound(error)) return null;
        throw error;
      });
    if (history) yield { workflowId, history };
  }
}

const GRPC_NOT_FOUND = 5;

/** The history of an unknown workflow is refused by the server in its own words. */
function isNotFound(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  return isGrpcServiceError(error) && Number(error.code) === GRPC_NOT_FOUND;
}
