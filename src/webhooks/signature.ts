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
