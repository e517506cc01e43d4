import { sign } from './signature';

export interface SignedDelivery {
  deliveryId: string;
  event: string;
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
  };
}

export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Herald-Webhooks/1',
    ...serviceHeaders(delivery),
  };
}
