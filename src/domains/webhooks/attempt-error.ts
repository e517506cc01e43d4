import { errors } from 'undici';
import { ForbiddenAddressError, LookupError } from '../../base/outbound/addresses';

/** One word for each way in which an attempt can fail before it has a complete answer. */
export const errorWords = [
  'dns',
  'refused',
  'reset',
  'timeout',
  'tls',
  'forbidden_address',
  'redirect',
  'protocol',
  'unreachable',
  'aborted',
  'unknown',
] as const;

export type ErrorWord = (typeof errorWords)[number];

export interface AttemptError {
  word: ErrorWord;
  detail: string;
}

const wordsByCode: Record<string, ErrorWord> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  EPROTO: 'tls',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
};

/** OpenSSL's verdicts on a certificate reach us as bare codes. */
const certificateCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_)/;

const maxDetailLength = 300;

/** Names what went wrong. Its text holds hosts and addresses at most, never the URL, a secret or the body. */
export function describeError(error: unknown): AttemptError {
  const first = firstCause(error);
  if (first instanceof ForbiddenAddressError) return failure('forbidden_address', `the URL ${first.message}`);
  if (first instanceof LookupError) return failure('dns', first.message);
  // Its code is missing for most answers that are not HTTP, so the class decides.
  if (first instanceof errors.HTTPParserError) return failure('protocol', first.message);
  const code = codeOf(first);
  const message = first instanceof Error ? first.message : 'the attempt failed';
  return failure(wordFor(code), code && !message.includes(code) ? `${message} (${code})` : message);
}

export function failure(word: ErrorWord, detail: string): AttemptError {
  return { word, detail: detail.slice(0, maxDetailLength) };
}

function wordFor(code: string): ErrorWord {
  if (certificateCode.test(code)) return 'tls';
  return wordsByCode[code] ?? 'unknown';
}

/** A host with several addresses fails with all their errors in one; the first stands for the rest. */
function firstCause(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
