import { cancelDelivery } from '../src/domains/webhooks/queries/deliveries';
import { createWorkflowLane, type WorkflowLaneDeps } from '../src/domains/webhooks/workflow-lane';
import { reported } from './failures';

export interface DeliveryRef {
  deliveryId: string;
}

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

/** The activities of the `deliverWebhook` workflow. */
export function createDeliveryActivities(deps: WorkflowLaneDeps) {
  const { attempt, attemptFast } = createWorkflowLane(deps);
  return {
    attemptDelivery: reported(attempt),
    attemptFast: reported(attemptFast),
    /** An operator cancelled the workflow in the Temporal UI: the row must say so, too. */
    markCancelled: reported(({ deliveryId }: DeliveryRef): Promise<void> =>
      cancelDelivery(deps.pool, deliveryId),
    ),
  };
}
