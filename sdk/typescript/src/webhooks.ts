import type { EventData } from './generated/types';
import {
  headerOf,
  verifySignature,
  WebhookVerificationError,
  type RequestHeaders,
  type VerifyOptions,
} from './signature';

/** The body of a delivery: `event` says which type `data` has. */
export type WebhookEvent = {
  [Name in keyof EventData]: { event: Name; data: EventData[Name] };
}[keyof EventData];

export type VerifiedWebhook = WebhookEvent & {
  /** The same for every attempt of a delivery: handle each id once. */
  deliveryId: string;
  /** The Unix time of this attempt, in seconds. */
  timestamp: number;
  /** A test event: its data is a sample. */
  test: boolean;
};

/**
 * Checks that a request comes from Herald and returns its event, or throws WebhookVerificationError: then respond with 400.
 * `rawBody` is the body as received, before anything parsed it; `headers` are those of the request. Of several secrets one
 * must match.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: RequestHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedWebhook {
  const { timestamp } = verifySignature(rawBody, headers, secret, options);
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  const deliveryId = headerOf(headers, 'x-service-delivery-id') ?? headerOf(headers, 'webhook-id') ?? '';
  const test = headerOf(headers, 'x-service-test') === 'true';
  return { ...(JSON.parse(text) as WebhookEvent), deliveryId, timestamp, test };
}

/** Whether a request comes from Herald. Mistakes of the receiver's own code still throw. */
export function isValidWebhook(...request: Parameters<typeof verifySignature>): boolean {
  try {
    verifySignature(...request);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
