import { limits, MIB, teamLimits } from './limits';

/**
 * Every error that the API can return. The HTTP error mapper, the OpenAPI document, the error page (`docs_url`) and the
 * failures of activities derive from this table.
 */
export interface ErrorEntry {
  status: number;
  /** The default message of the envelope. */
  text: string;
  /** What the error page says about the cause and the fix. */
  help: string;
}

const table = {
  bad_request: {
    status: 400,
    text: 'The request is malformed.',
    help: 'The request line or a header is malformed. Check the encoding of the path and the headers.',
  },
  validation_failed: {
    status: 400,
    text: 'The request is not valid.',
    help: 'A field is missing, unknown or has a wrong value, or the body is not JSON. The message names the field.',
  },
  invalid_url: {
    status: 400,
    text: 'This URL is not allowed.',
    help: 'A webhook URL must use https, without a username, password or fragment, and must not point to a private network. The same holds for the URL of a logo and of media, and the file must be there. A redirect_uri must exactly match the callback URL or a redirect URL of the project.',
  },
  invalid_external_id: {
    status: 400,
    text: 'The external_id is not valid.',
    help: `An external_id has 1 to ${limits.externalIdLength} printable characters, without leading or trailing spaces.`,
  },
  mutually_exclusive_identifiers: {
    status: 400,
    text: 'Send either subscriber_id or external_id, not both.',
    help: 'Identify the recipient by one of the two.',
  },
  invalid_code: {
    status: 400,
    text: 'This code is not valid.',
    help: 'The one-time code does not exist or belongs to another project. Pass the login code from the callback URL or the status response, or the code that the user typed for an OTP, unchanged. A wrong OTP uses up an attempt.',
  },
  code_expired: {
    status: 400,
    text: 'The code has expired.',
    help: `A login code is valid for ${limits.authCodeTtlSeconds} seconds. Start a new login.`,
  },
  invalid_code_verifier: {
    status: 400,
    text: 'The code_verifier does not match the code_challenge of the session.',
    help: 'Send the verifier that matches the S256 challenge of the session. If the session has no challenge, send no verifier.',
  },
  invalid_bot_token: {
    status: 400,
    text: 'The messenger does not accept this bot token.',
    help: 'Copy the whole token of the bot from BotFather or from MAX for partners. A revoked token is refused too.',
  },
  template_variable_missing: {
    status: 400,
    text: 'The template uses a variable that has no value.',
    help: 'Pass the named variables in vars, or give the placeholders names that are built in. A template that an open message uses cannot gain variables which that message lacks.',
  },
  captcha_failed: {
    status: 400,
    text: 'The captcha was not solved.',
    help: 'Pass the response of the captcha as _captcha, within its lifetime and only once. The service that the form names must answer with "success": true within a few seconds.',
  },
  unauthorized: {
    status: 401,
    text: 'API key missing. Send the header "Authorization: Bearer <API_KEY>".',
    help: 'The Authorization header is missing or does not have the form "Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    text: 'The API key is not valid.',
    help: 'The key does not exist or was revoked. Create a new one in the dashboard or with "herald key create".',
  },
  invalid_init_data: {
    status: 401,
    text: 'The init_data of the Mini App is not valid.',
    help: `It must be signed by the messenger for the bot of this project, at most ${limits.initDataMinutes} minutes ago. Close the Mini App and open it again.`,
  },
  billing_blocked: {
    status: 402,
    text: 'This project has no credits left and its grace period has ended.',
    help: 'Paid operations are rejected until next month. To continue now, upgrade the plan or buy a credit pack.',
  },
  forbidden: {
    status: 403,
    text: 'You do not have access.',
    help: 'The request is not permitted. The API key or the role may lack a scope (the message names it), only an owner may do it, or the event cannot be published. The dashboard’s cookie does not work for requests from other sites.',
  },
  plan_limit: {
    status: 403,
    text: 'The plan of this project does not include this.',
    help: `The free plan includes ${teamLimits.free.members} member, ${teamLimits.free.ownedProjects} project per owner and no exports. What exists stays. Ask the operator for a larger plan.`,
  },
  project_inactive: {
    status: 403,
    text: 'The project of this API key is not active.',
    help: 'An operator has deactivated the project. It sends nothing; what waits resumes when it is active again.',
  },
  origin_not_allowed: {
    status: 403,
    text: 'This site may not post to the form.',
    help: 'The origin of the page is not in the form’s allowed_origins. Add it there, for example https://example.com, or use the page of the form.',
  },
  subscriber_not_found: {
    status: 404,
    text: 'Subscriber not found.',
    help: 'The project has no subscriber with this subscriber_id or external_id.',
  },
  not_found: {
    status: 404,
    text: 'Not found.',
    help: 'The path does not exist, or the project has no resource with this id. Resources of other projects are reported as not found.',
  },
  method_not_allowed: {
    status: 405,
    text: 'This path does not support this method.',
    help: 'The Allow header lists the supported methods.',
  },
  conflict: {
    status: 409,
    text: 'The request conflicts with the current state of the resource.',
    help: `For example, more than ${limits.webhookEndpoints} webhook endpoints, or a retry while the endpoint is disabled. The message names the cause.`,
  },
  idempotency_conflict: {
    status: 409,
    text: 'This Idempotency-Key was already used for a different request.',
    help: 'Use a new key for a new request. Retry a request with the same key, path and body.',
  },
  already_subscribed: {
    status: 409,
    text: 'The user is already subscribed.',
    help: 'The Mini App found an active subscriber, and the request adds no permission.',
  },
  code_already_used: {
    status: 409,
    text: 'The code has already been used.',
    help: 'A code works once. If your backend did not redeem it, treat the login as compromised and start a new one.',
  },
  payload_too_large: {
    status: 413,
    text: `The request body is larger than ${limits.requestBodyBytes / MIB} MiB.`,
    help: 'Split the data into smaller requests.',
  },
  unsupported_media_type: {
    status: 415,
    text: 'The body must be sent as application/json.',
    help: 'Set the header "Content-Type: application/json".',
  },
  request_in_progress: {
    status: 425,
    text: 'A request with this Idempotency-Key is still running.',
    help: 'Wait for Retry-After seconds, then retry with the same key.',
  },
  rate_limit_project: {
    status: 429,
    text: 'Too many requests.',
    help: `A project can send ${limits.requestsPerMinute} requests per minute by default. Throttle by X-RateLimit-Remaining, and wait for Retry-After seconds before retrying.`,
  },
  rate_limit_events: {
    status: 429,
    text: 'Too many events.',
    help: `A project can publish and track ${limits.eventsPerMinute.toLocaleString('en')} events per minute by default. None of the request was accepted. Wait for Retry-After seconds.`,
  },
  rate_limit_queue: {
    status: 429,
    text: 'Too many deliveries are waiting for their first attempt.',
    help: `With more than ${limits.queuedDeliveries.toLocaleString('en')} deliveries waiting by default, a project can publish and track nothing more until its endpoints have caught up; those of disabled endpoints do not count. Wait for Retry-After seconds, and look for endpoints that respond slowly.`,
  },
  rate_limit_address: {
    status: 429,
    text: 'Too many requests from this address.',
    help: 'Routes without an API key allow a limited number of requests per minute for each IP address (of IPv6 for each /64 network). Wait for Retry-After seconds.',
  },
  rate_limit_form: {
    status: 429,
    text: 'Too many submissions of this form. Try again in a minute.',
    help: `A form takes ${limits.formSubmissionsPerMinute} submissions per minute, and ${limits.formSubmissionsPerAddress} from one IP address (of IPv6 from one /64 network). Wait for Retry-After seconds.`,
  },
  rate_limit_auth_sessions: {
    status: 429,
    text: 'Too many sessions created.',
    help: `By default a project can create ${limits.authSessionsPerHour} sessions per hour (sliding window), and a limited number per client_ip. Retry-After says when the next one is allowed.`,
  },
  rate_limit_auth_requests: {
    status: 429,
    text: 'Too many approval requests for this subscriber.',
    help: `A subscriber can have ${limits.authRequestsPending} pending requests and get ${limits.authRequestsPerHour} per hour (sliding window). Retry-After says when the next one is allowed.`,
  },
  rate_limit_verify: {
    status: 429,
    text: 'Too many wrong codes or verifiers.',
    help: `After ${limits.authVerifyFailuresPerMinute} failures per minute, further failures of the project return this error. A valid code still succeeds.`,
  },
  rate_limit_otp: {
    status: 429,
    text: 'Too many one-time codes sent to this subscriber.',
    help: `A subscriber can receive up to ${limits.otpCodesPerHour} codes per hour. Wait for Retry-After seconds.`,
  },
  rate_limit_export: {
    status: 429,
    text: 'The project is already running an export.',
    help: 'A project can run one export at a time. Wait for the running one to end, or for Retry-After seconds.',
  },
  rate_limit_rotations: {
    status: 429,
    text: 'The secret of this endpoint was rotated too often.',
    help: `An endpoint can rotate its secret up to ${limits.webhookRotationsPerHour} times per hour. Wait for Retry-After seconds.`,
  },
  rate_limit_sign_in: {
    status: 429,
    text: 'Too many sign-ins. Try again later.',
    help: `The dashboard allows ${limits.dashboardSignInFailures.max} wrong keys in ${limits.dashboardSignInFailures.minutes} minutes and ${limits.dashboardLoginsPerHour} sign-ins by messenger in an hour per IP address, and a network can have ${limits.keylessOpenSessionsPerSite} open ones. Wait for Retry-After seconds.`,
  },
  slow_down: {
    status: 429,
    text: 'This session is polled too often.',
    help: `Leave at least ${limits.authPollSeconds} s between two polls of a session; every ${limits.authPollRecommendedSeconds} to ${limits.authPollRecommendedMaxSeconds} seconds is recommended. Or long-poll with ?wait=.`,
  },
  internal_error: {
    status: 500,
    text: 'Internal error. Try again later.',
    help: 'Retry with exponential backoff. If it keeps failing, send the X-Request-Id to the operator.',
  },
  platform_busy: {
    status: 500,
    text: 'The messenger platform is temporarily unavailable.',
    help: 'Retry with exponential backoff.',
  },
  service_unavailable: {
    status: 503,
    text: 'The service is temporarily unavailable.',
    help: 'A dependency is down or overloaded. Retry after Retry-After seconds.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = table;

export const errorCodes = Object.keys(table) as ErrorCode[];

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(table, value);
}

/** Retrying helps where the cause is temporary: too early, too many requests, or a fault of the service. */
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

/** The error type for callers of the API. Any other thrown error is an internal fault. */
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

/** Returns the row that a query found; throws a 404 if there is none. */
export function orNotFound<T>(
  found: T | null | undefined | false,
  code: 'not_found' | 'subscriber_not_found' = 'not_found',
): T {
  if (!found) throw new AppError(code);
  return found;
}

/** For a row that may be missing: turns the 404 of `orNotFound` into null. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}
