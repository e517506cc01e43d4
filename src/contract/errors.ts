import { limits, MIB } from './limits';

/**
 * Every error that a caller can meet, written once. The HTTP mapper, the OpenAPI document, the error page
 * (`docs_url`) and the failures of activities all derive from this table.
 */
export interface ErrorEntry {
  status: number;
  /** What the envelope says when the place that raised it has nothing better to say. */
  text: string;
  /** What the error page tells a developer to do. */
  help: string;
  /** Named by the specification, and nothing can produce it yet. */
  reserved?: true;
}

const table = {
  bad_request: {
    status: 400,
    text: 'The request cannot be understood.',
    help: 'The request line or its headers are malformed. Check the path encoding and the headers.',
  },
  validation_failed: {
    status: 400,
    text: 'The request is not valid.',
    help: 'A field is missing, unknown or of the wrong shape, or the body is not JSON. The message names the field at fault.',
  },
  invalid_url: {
    status: 400,
    text: 'The URL is not allowed here.',
    help: 'Webhook URLs must be https, without user info or fragment, and must not point into private networks. A redirect_uri must equal an allow-listed URL of the project exactly.',
  },
  invalid_external_id: {
    status: 400,
    text: 'The external_id is not valid.',
    help: `An external_id has 1 to ${limits.externalIdLength} printable characters without white space at its ends.`,
  },
  mutually_exclusive_identifiers: {
    status: 400,
    text: 'Give either subscriber_id or external_id, not both.',
    help: 'Name the recipient in one way only.',
  },
  invalid_code: {
    status: 400,
    text: 'The code is not known.',
    help: 'The one-time code does not exist, or it belongs to another project. Codes are given by the callback URL or the status poll and must be passed on unchanged.',
  },
  code_expired: {
    status: 400,
    text: 'The code is older than its life time.',
    help: `A login code lives ${limits.authCodeTtlSeconds} seconds. Start the login again.`,
  },
  invalid_code_verifier: {
    status: 400,
    text: 'The code_verifier does not match the code_challenge of the session.',
    help: 'Send the verifier whose S256 challenge was given when the session was created, and none where no challenge was given.',
  },
  unauthorized: {
    status: 401,
    text: 'An API key is needed: send the header "Authorization: Bearer <API_KEY>".',
    help: 'The Authorization header is missing or is not of the form "Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    text: 'The API key is not valid.',
    help: 'The key does not exist or was revoked. Create another one with "herald key create" or in the dashboard.',
  },
  billing_blocked: {
    status: 402,
    text: 'The credits of this project are used up and its grace period is over.',
    help: 'Paid operations are rejected until the next month, a higher plan or a credit pack.',
  },
  forbidden: {
    status: 403,
    text: 'You may not do this.',
    help: 'The request was understood and refused: the dashboard refuses changes that do not come from its own pages.',
  },
  project_inactive: {
    status: 403,
    text: 'The project of this key is not active.',
    help: 'An operator has switched the project off.',
  },
  subscriber_not_found: {
    status: 404,
    text: 'There is no such subscriber.',
    help: 'The project has no subscriber with this subscriber_id or external_id.',
  },
  not_found: {
    status: 404,
    text: 'There is nothing here.',
    help: 'The path is unknown, or the project has no resource with this id. Resources of other projects answer alike.',
  },
  method_not_allowed: {
    status: 405,
    text: 'This path does not take this method.',
    help: 'The Allow header lists the methods of the path.',
  },
  conflict: {
    status: 409,
    text: 'The request is in conflict with the state of the resource.',
    help: `For example more than ${limits.webhookEndpoints} webhook endpoints, or a test or retry on a disabled endpoint. The message says which.`,
  },
  idempotency_conflict: {
    status: 409,
    text: 'This Idempotency-Key was used with another request body.',
    help: 'Use a new key for a new request; repeat a request with its own key and an unchanged body.',
  },
  already_subscribed: {
    status: 409,
    text: 'The user is subscribed already.',
    help: 'Reserved by the specification.',
    reserved: true,
  },
  code_already_used: {
    status: 409,
    text: 'The code was used already.',
    help: 'A code can be used once. If it was not you who used it, treat the login as hijacked and start again.',
  },
  payload_too_large: {
    status: 413,
    text: `The request body is larger than ${limits.requestBodyBytes / MIB} MiB.`,
    help: 'Send less in one request.',
  },
  unsupported_media_type: {
    status: 415,
    text: 'The body must be sent as application/json.',
    help: 'Set the header "Content-Type: application/json".',
  },
  request_in_progress: {
    status: 425,
    text: 'A request with this Idempotency-Key is still running.',
    help: 'Wait for Retry-After seconds and repeat the request with the same key.',
  },
  rate_limit_project: {
    status: 429,
    text: 'The project has sent too many requests.',
    help: `A project has ${limits.requestsPerMinute} requests a minute by default. Throttle by X-RateLimit-Remaining; wait for Retry-After seconds.`,
  },
  rate_limit_auth_sessions: {
    status: 429,
    text: 'Too many auth sessions were created.',
    help: `A project may create ${limits.authSessionsPerHour} sessions in any hour, and a limited number for each client_ip, unless its plan says otherwise. Retry-After tells when the oldest leaves the window.`,
  },
  rate_limit_verify: {
    status: 429,
    text: 'Too many wrong codes or verifiers were sent.',
    help: `After ${limits.authVerifyFailuresPerMinute} wrong codes in a minute further failures of the project are answered so. A good code still succeeds.`,
  },
  rate_limit_otp: {
    status: 429,
    text: 'Too many one-time codes were sent to this subscriber.',
    help: `A subscriber gets at most ${limits.otpCodesPerHour} codes an hour.`,
  },
  rate_limit_rotations: {
    status: 429,
    text: 'The secret of this endpoint was rotated too often.',
    help: `An endpoint takes at most ${limits.webhookRotationsPerHour} rotations an hour.`,
  },
  rate_limit_sign_in: {
    status: 429,
    text: 'Too many attempts to sign in.',
    help: `The dashboard takes ${limits.dashboardSignInFailures.max} wrong keys in ${limits.dashboardSignInFailures.minutes} minutes from one address. Wait for Retry-After seconds.`,
  },
  slow_down: {
    status: 429,
    text: 'This session is polled too fast.',
    help: `Leave at least ${limits.authPollSeconds} s between two polls of a session; every ${limits.authPollRecommendedSeconds} to ${limits.authPollRecommendedMaxSeconds} seconds is right. Or use ?wait= for a long poll.`,
  },
  internal_error: {
    status: 500,
    text: 'Something went wrong on our side.',
    help: 'An unforeseen fault. The request may be repeated; tell the operator the X-Request-Id.',
  },
  platform_busy: {
    status: 500,
    text: 'The messenger platform is not available at the moment.',
    help: 'Repeat the request with exponential backoff.',
  },
  service_unavailable: {
    status: 503,
    text: 'A part of the service is away or the process is stopping.',
    help: 'Repeat the request after Retry-After seconds.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = table;

export const errorCodes = Object.keys(table) as ErrorCode[];

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(table, value);
}

/** Retrying helps where the cause passes by itself: too early, too many, or our own fault. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = errorTable[code];
  return status === 425 || status === 429 || status >= 500;
}

export interface ErrorEnvelope {
  error: string;
  code: ErrorCode;
  retryable: boolean;
  docs_url: string;
}

export interface AppErrorOptions {
  /** Seconds until a retry makes sense; sent as Retry-After. */
  retryAfter?: number;
  cause?: unknown;
}

/** The one error type that is meant for callers. Anything else that is thrown is a fault of our own. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message?: string, options: AppErrorOptions = {}) {
    super(message ?? errorTable[code].text, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  toEnvelope(docsUrl: string): ErrorEnvelope {
    return {
      error: this.message,
      code: this.code,
      retryable: isRetryable(this.code),
      docs_url: `${docsUrl}#${this.code}`,
    };
  }
}
