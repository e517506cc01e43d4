import { sleep } from '@temporalio/workflow';
import type { DeliverWebhookInput } from '../../../../src/domains/webhooks/workflow-input';
import { deliverWebhook as current, type DeliveryResult } from '../../../../workflows';

export * from '../../../../workflows';

/** The mistake: the same change without its guard. */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryResult> {
  await sleep(1);
  return current(input);
}
