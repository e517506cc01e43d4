import type { ErrorCode } from './generated/types';

export interface HeraldErrorFacts {
  status: number;
  code: string;
  message: string;
  retryable: boolean;
  docsUrl: string | null;
  retryAfterSeconds: number | null;
  requestId: string | null;
}

/** The service refused the request. */
export class HeraldError extends Error {
  override readonly name: string = 'HeraldError';
  readonly status: number;
  /** The code of the error catalogue; `unknown_error` if the response does not come from Herald, as of a proxy. */
  readonly code: ErrorCode | 'unknown_error' | (string & {});
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** The page that describes the code. */
  readonly docsUrl: string | null;
  /** The service's Retry-After. */
  readonly retryAfterSeconds: number | null;
  /** Names the request in the service's log. */
  readonly requestId: string | null;

  constructor(facts: HeraldErrorFacts) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.docsUrl = facts.docsUrl;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.requestId = facts.requestId;
  }
}

/** The service could not be reached, or did not respond in time. The request may have been carried out. */
export class HeraldConnectionError extends Error {
  override readonly name: string = 'HeraldConnectionError';
}

const UNKNOWN = 'unknown_error';
const TEMPORARY = [429, 502, 503, 504];

/** The error of a response; whatever stands between the client and Herald may have sent it. */
export function errorOf(response: Response, text: string): HeraldError {
  const envelope = parsed(text);
  const isEnvelope = typeof envelope['code'] === 'string';
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new HeraldError({
    status: response.status,
    code: isEnvelope ? String(envelope['code']) : UNKNOWN,
    message: isEnvelope ? String(envelope['error']) : `The service returned ${response.status}.`,
    retryable: isEnvelope ? envelope['retryable'] === true : TEMPORARY.includes(response.status),
    docsUrl: typeof envelope['docs_url'] === 'string' ? envelope['docs_url'] : null,
    retryAfterSeconds: seconds >= 0 ? seconds : null,
    requestId: response.headers.get('x-request-id'),
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
