import { createHmac } from 'node:crypto';

/**
 * The lowercase hex HMAC-SHA-256 of `<t>.<body>`. The key is the UTF-8 text of the whole secret, prefix
 * included, which is what verifiers of Stripe's scheme expect. `t` is text because a receiver must hash the
 * digits it was sent, not a number printed again.
 */
export function signatureOf(body: string | Uint8Array, secret: string, t: string): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

/** The value of X-Service-Signature: one `v1=` for each secret that still signs, newest first. */
export function sign(
  body: string | Uint8Array,
  secrets: readonly string[],
  timestampSeconds: number,
): string {
  if (secrets.length === 0) throw new Error('A delivery needs at least one signing secret.');
  const t = String(timestampSeconds);
  return [`t=${t}`, ...secrets.map((secret) => `v1=${signatureOf(body, secret, t)}`)].join(',');
}

/** What a signing secret is sealed for, together with the id of its endpoint. */
export const webhookSecretPurpose = 'webhook_secret';

const SECRET_PREFIX = 'whsec_';

/** The bytes that a secret stands for: the key of Standard Webhooks. */
export function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return Buffer.from(encoded, 'base64');
}

/** The base64 HMAC-SHA-256 of `<id>.<t>.<body>`, as Standard Webhooks defines it. */
function standardSignatureOf(
  body: string | Uint8Array,
  key: Uint8Array,
  { id, t }: { id: string; t: string },
): string {
  return createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest('base64');
}

/** The value of webhook-signature: one `v1,` for each secret that still signs, newest first. */
export function standardSignature(delivery: {
  deliveryId: string;
  body: string | Uint8Array;
  secrets: readonly string[];
  timestampSeconds: number;
}): string {
  const { deliveryId: id, body, secrets, timestampSeconds } = delivery;
  const signed = { id, t: String(timestampSeconds) };
  return secrets.map((secret) => `v1,${standardSignatureOf(body, keyOf(secret), signed)}`).join(' ');
}
