import { sign, standardSignature } from './signature';

export interface SignedDelivery {
  deliveryId: string;
  event: string;
  /** The example of an event, sent on request. */
  test?: boolean;
  body: string | Uint8Array;
  /** Every secret that signs at this moment, newest first. */
  secrets: readonly string[];
  timestampSeconds: number;
}

/** The four headers of the specification: all metadata of a delivery, the body carries none. */
export function serviceHeaders(delivery: SignedDelivery): Record<string, string> {
  return {
    'X-Service-Event': delivery.event,
    'X-Service-Timestamp': String(delivery.timestampSeconds),
    'X-Service-Delivery-Id': delivery.deliveryId,
    'X-Service-Signature': sign(delivery.body, delivery.secrets, delivery.timestampSeconds),
    ...(delivery.test ? { 'X-Service-Test': 'true' } : {}),
  };
}

/** The same facts for verifiers of Standard Webhooks (standardwebhooks.com). */
export function standardHeaders(delivery: SignedDelivery): Record<string, string> {
  return {
    'webhook-id': delivery.deliveryId,
    'webhook-timestamp': String(delivery.timestampSeconds),
    'webhook-signature': standardSignature(delivery),
  };
}

export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Herald-Webhooks/1',
    ...serviceHeaders(delivery),
    ...standardHeaders(delivery),
  };
}
