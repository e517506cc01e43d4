import { createHmac, timingSafeEqual } from 'node:crypto';

export type VerificationFailure = 'missing_header' | 'malformed_header' | 'no_match' | 'outside_tolerance';

/** The request is not a genuine delivery: respond with 400 and do nothing with it. */
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
  /** Refuses signatures older or newer than this. Default: no limit; deduplicate by delivery id instead. */
  toleranceSeconds?: number | undefined;
}

type HeaderValue = string | readonly string[] | null | undefined;

/** The headers of a request: Node's `req.headers`, or a `Headers` object. */
export type RequestHeaders = Record<string, HeaderValue> | { get(name: string): string | null };

/**
 * Returns the time of the signature, or throws WebhookVerificationError. Takes the value of X-Service-Signature, or all
 * headers of the request: then X-Service-Signature is checked, or the headers of Standard Webhooks where it is missing.
 * Mistakes of the receiver's own code (no secret, a parsed body) throw TypeError instead: they deserve a 500, so that
 * the delivery comes again.
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  header: HeaderValue | RequestHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): { timestamp: number } {
  const secrets = requireSecrets(secret);
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('The body must be the raw text or bytes as received, not a parsed object.');
  }
  const { t, candidates, expect } = parse(header);

  // Every pair is compared, so that the time taken says nothing about which one matched.
  let matched = false;
  for (const each of secrets) {
    const expected = Buffer.from(expect(rawBody, each));
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

function requireSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const usable =
    Array.isArray(secrets) &&
    secrets.length > 0 &&
    secrets.every((each: unknown) => typeof each === 'string' && each !== '');
  if (!usable) throw new TypeError("The endpoint's secret is missing or empty.");
  return secrets;
}

interface Signatures {
  /** The digits that were signed. */
  t: string;
  candidates: Buffer[];
  /** What a signature with this secret would be. */
  expect(body: string | Uint8Array, secret: string): string;
}

function parse(given: HeaderValue | RequestHeaders): Signatures {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    return parseHeader(given as HeaderValue);
  }
  const headers = given as RequestHeaders;
  const own = headerOf(headers, 'x-service-signature');
  return own ? parseHeader(own) : parseStandard(headers);
}

/** A header, by its name in lower case. */
export function headerOf(headers: RequestHeaders, name: string): string | null {
  if (typeof headers['get'] === 'function') return (headers as Headers).get(name);
  // Node gives an array for a header that was sent twice; names may be in any case in an object made by hand.
  const entry = Object.entries(headers as Record<string, HeaderValue>).find(
    ([key]) => key.toLowerCase() === name,
  );
  const value: unknown = Array.isArray(entry?.[1]) ? entry[1].join(',') : entry?.[1];
  return typeof value === 'string' ? value : null;
}

/** The 32 bytes of every secret that Herald makes; less would be easy to guess. */
const KEY_BYTES = 32;

function parseStandard(headers: RequestHeaders): Signatures {
  const [id, t, signatures] = ['id', 'timestamp', 'signature'].map((part) =>
    headerOf(headers, `webhook-${part}`),
  );
  if (!id || !t || !signatures) {
    throw new WebhookVerificationError(
      'missing_header',
      'The request has neither X-Service-Signature nor webhook-id, webhook-timestamp and webhook-signature.',
    );
  }
  const candidates = signatures
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length)));
  if (!/^\d{1,15}$/.test(t) || candidates.length === 0) {
    throw new WebhookVerificationError(
      'malformed_header',
      'webhook-timestamp must be seconds, webhook-signature a list of v1,<base64>.',
    );
  }
  return {
    t,
    candidates,
    expect(body, secret) {
      const key = keyOf(secret);
      if (key.length !== KEY_BYTES) throw new TypeError('The secret must be whsec_ and 32 bytes in base64.');
      return standardSignatureOf(body, key, { id, t });
    },
  };
}

function parseHeader(header: HeaderValue): Signatures {
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
  return { t, candidates, expect: (body, secret) => signatureOf(body, secret, t) };
}

/** The lowercase hex HMAC-SHA-256 of `<t>.<body>`; the key is the text of the whole secret, prefix included. */
function signatureOf(body: string | Uint8Array, secret: string, t: string): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

/** The bytes that a secret stands for. */
function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

/** The base64 HMAC-SHA-256 of `<id>.<t>.<body>`, as Standard Webhooks defines it. */
function standardSignatureOf(
  body: string | Uint8Array,
  key: Uint8Array,
  { id, t }: { id: string; t: string },
): string {
  return createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest('base64');
}
