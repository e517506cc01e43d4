import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RowInput, RowState } from '../src/base/agenda';
import { OWN_FAULT_RETRY } from './own-fault-retry';
import { runWhenDue } from './run-when-due';

/** The activities of rows. Each has the name of its kind, which is also that of the workflow. */
const advance = proxyActivities<Record<string, (input: RowInput) => Promise<RowState>>>({
  // A message can wait for its turn, an upload can take minutes, and an external_id can name a hundred subscribers.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: OWN_FAULT_RETRY,
});

/** The workflow of one row, exported under the name of each kind. */
export function row(input: RowInput): Promise<RowState> {
  const advanceRow = advance[workflowInfo().workflowType]!;
  return runWhenDue(input, (summary) => advanceRow.executeWithOptions({ summary }, [input]));
}
