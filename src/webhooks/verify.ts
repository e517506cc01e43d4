/**
 * For receivers: checks that a delivery comes from Herald. Published as `herald/webhooks`; it needs nothing
 * but Node's own crypto.
 */
import { timingSafeEqual } from 'node:crypto';
import { signatureOf } from './signature';

export type VerificationFailure = 'missing_header' | 'malformed_header' | 'no_match' | 'outside_tolerance';

/** The request is not a genuine delivery: answer 400 and do nothing with it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: VerificationFailure,
    message: string,
  ) {
    super(message);
  }
}

export interface VerifyOptions {
  /**
   * Refuses signatures older or newer than this. Leave it out: retries arrive up to a day later, and
   * X-Service-Delivery-Id is the means against duplicates.
   */
  toleranceSeconds?: number;
}

/**
 * Returns the time of the signature, or throws WebhookVerificationError. Mistakes of the receiver's own code
 * (no secret, a parsed body) throw TypeError instead: they deserve a 500, so that the delivery comes again.
 */
export function verify(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): { timestamp: number } {
  const secrets = requireSecrets(secret);
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('The body must be the raw text or bytes as received, not a parsed object.');
  }
  const { t, candidates } = parseHeader(header);

  // Every pair is compared, so that the time taken says nothing about which one matched.
  let matched = false;
  for (const each of secrets) {
    const expected = Buffer.from(signatureOf(rawBody, each, t));
    for (const candidate of candidates) {
      if (candidate.length === expected.length && timingSafeEqual(candidate, expected)) matched = true;
    }
  }
  if (!matched) {
    throw new WebhookVerificationError(
      'no_match',
      'No v1 signature matches: wrong secret, or the body is not byte for byte the one received.',
    );
  }

  const timestamp = Number(t);
  const { toleranceSeconds } = options;
  if (toleranceSeconds !== undefined && Math.abs(Date.now() / 1000 - timestamp) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'outside_tolerance',
      `The signature's time is more than ${toleranceSeconds} seconds away from now.`,
    );
  }
  return { timestamp };
}

/** `verify` as a question. Mistakes of the receiver's own code still throw. */
export function isValid(...request: Parameters<typeof verify>): boolean {
  try {
    verify(...request);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function requireSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const usable =
    Array.isArray(secrets) &&
    secrets.length > 0 &&
    secrets.every((each: unknown) => typeof each === 'string' && each !== '');
  if (!usable) throw new TypeError("The endpoint's secret is missing or empty.");
  return secrets;
}

function parseHeader(header: string | readonly string[] | null | undefined): {
  t: string;
  candidates: Buffer[];
} {
  // Node gives an array for a header that was sent twice.
  const value: unknown = Array.isArray(header) ? header.join(',') : header;
  if (typeof value !== 'string' || value.trim() === '') {
    throw new WebhookVerificationError('missing_header', 'The request has no X-Service-Signature header.');
  }

  const times: string[] = [];
  const candidates: Buffer[] = [];
  for (const part of value.split(',')) {
    const [key, ...rest] = part.trim().split('=');
    const content = rest.join('=');
    if (key === 't') times.push(content);
    // Other keys are schemes of the future: a receiver of today passes over them.
    if (key === 'v1') candidates.push(Buffer.from(content));
  }

  const [t] = times;
  if (t === undefined || times.length > 1 || !/^\d{1,15}$/.test(t) || candidates.length === 0) {
    throw new WebhookVerificationError(
      'malformed_header',
      'X-Service-Signature must have the form t=<seconds>,v1=<hex>.',
    );
  }
  return { t, candidates };
}
