import { patched, sleep } from '@temporalio/workflow';
import type { DeliverWebhookInput } from '../../../../src/domains/webhooks/workflow-input';
import { deliverWebhook as current, type DeliveryResult } from '../../../../workflows';

export * from '../../../../workflows';

/** The next version of the code, with a change that runs under way do not see. */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryResult> {
  if (patched('wait-before-the-first-attempt')) await sleep(1);
  return current(input);
}
