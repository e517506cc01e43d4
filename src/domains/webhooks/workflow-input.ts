import type { LastAttempt } from './retrying-attributes';

/** Built from the delivery's row, for every kind of start. */
export interface DeliverWebhookInput {
  deliveryId: string;
  /** Attempts made before this run. */
  attempts: number;
  /** The endpoint answered fast last time: the first attempt of this run is made inside the workflow task. */
  fast?: boolean;
  /** The express lane made the first attempt, and the next one is scheduled: there is nothing to do before it. */
  afterExpress?: AfterExpress;
}

export interface AfterExpress extends LastAttempt {
  nextAttemptAt: number;
}

/** `workflows/deliver-webhook.ts` */
export type DeliverWebhookWorkflow = (input: DeliverWebhookInput) => Promise<unknown>;
