import { errorCodes, errorTable, isRetryable } from '../../../src/base/contract/errors';

/** Every code with its status: docs/stability.md promises both for 1.x, so a code is only ever added here. */
const promised: Record<number, string[]> = {
  400: [
    'bad_request',
    'validation_failed',
    'invalid_url',
    'invalid_external_id',
    'mutually_exclusive_identifiers',
    'invalid_code',
    'code_expired',
    'invalid_code_verifier',
    'invalid_bot_token',
    'template_variable_missing',
    'captcha_failed',
  ],
  401: ['unauthorized', 'invalid_api_key', 'invalid_init_data'],
  402: ['billing_blocked'],
  403: ['forbidden', 'plan_limit', 'project_inactive', 'origin_not_allowed'],
  404: ['subscriber_not_found', 'not_found'],
  405: ['method_not_allowed'],
  409: ['conflict', 'idempotency_conflict', 'already_subscribed', 'code_already_used'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  425: ['request_in_progress'],
  429: [
    'rate_limit_project',
    'rate_limit_events',
    'rate_limit_queue',
    'rate_limit_address',
    'rate_limit_form',
    'rate_limit_auth_sessions',
    'rate_limit_auth_requests',
    'rate_limit_verify',
    'rate_limit_otp',
    'rate_limit_export',
    'rate_limit_rotations',
    'rate_limit_sign_in',
    'slow_down',
  ],
  500: ['internal_error', 'platform_busy'],
  503: ['service_unavailable'],
};

describe('the table of errors', () => {
  it('has every promised code with its status, and no other', () => {
    const listed = Object.entries(promised).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)] as const),
    );
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(errorCodes.map((code) => [code, errorTable[code].status])),
    );
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
