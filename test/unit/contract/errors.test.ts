import { errorCodes, errorTable, isRetryable, type ErrorCode } from '../../../src/contract/errors';

/** Codes and statuses as the specification and the decisions name them. */
const specified: Record<number, string[]> = {
  400: [
    'bad_request',
    'validation_failed',
    'invalid_url',
    'invalid_external_id',
    'mutually_exclusive_identifiers',
    'invalid_code',
    'code_expired',
    'invalid_code_verifier',
  ],
  401: ['unauthorized', 'invalid_api_key'],
  402: ['billing_blocked'],
  403: ['forbidden', 'project_inactive'],
  404: ['subscriber_not_found', 'not_found'],
  405: ['method_not_allowed'],
  409: ['conflict', 'idempotency_conflict', 'already_subscribed', 'code_already_used'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  425: ['request_in_progress'],
  429: ['rate_limit_project', 'rate_limit_auth_sessions', 'rate_limit_verify', 'slow_down'],
  500: ['internal_error', 'platform_busy'],
  503: ['service_unavailable'],
};

describe('the table of errors', () => {
  it('has every code of the specification with its status', () => {
    for (const [status, codes] of Object.entries(specified)) {
      for (const code of codes) {
        expect({ code, status: errorTable[code as ErrorCode]?.status }).toEqual({
          code,
          status: Number(status),
        });
      }
    }
  });

  it('says that a retry helps for 425, 429 and 5xx, and for nothing else', () => {
    for (const code of errorCodes) {
      const { status } = errorTable[code];
      expect({ code, retryable: isRetryable(code) }).toEqual({
        code,
        retryable: status === 425 || status === 429 || status >= 500,
      });
    }
  });

  it('has codes in lower snake case, and a text and advice for each', () => {
    for (const code of errorCodes) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(errorTable[code].text).toMatch(/[.>]"?\.?$/);
      expect(errorTable[code].help).toMatch(/\.$/);
    }
  });
});
