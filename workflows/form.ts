import { proxyActivities } from '@temporalio/workflow';
import type { FormActivities, FormState } from '../activities/form';
import { runWhenDue } from './run-when-due';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the submission. */
export interface FormInput {
  submissionId: string;
}

const { runRoutes } = proxyActivities<FormActivities>({
  // Each route may send a message, which waits for its turn.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
});

/** One submission: runs its routes in order, and goes on later while a messenger is unavailable. */
export function form(input: FormInput): Promise<FormState> {
  const run = () => runRoutes.executeWithOptions({ summary: 'routes that have not run' }, [input]);
  return runWhenDue(input, run, ({ route }) => `route ${route}`);
}
