import { createHmac, timingSafeEqual } from 'node:crypto';

/** `body` is the raw request body, `header` the value of X-Service-Signature. */
export function isValid(body: Buffer, header: string | null | undefined, secret: string): boolean {
  const pairs = (header ?? '').split(',').map((item) => item.trim().split('='));
  const timestamp = pairs.find(([key]) => key === 't')?.[1] ?? '';
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return pairs.some(([key, value]) => {
    const signature = Buffer.from(key === 'v1' ? (value ?? '') : '', 'hex');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}
