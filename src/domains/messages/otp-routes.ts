import { limits } from '../../base/contract/limits';
import { route } from '../../base/http/route';
import { sendOtpSchema, sentOtpSchema, verifiedOtpSchema, verifyOtpSchema } from './contract';
import { sendOtp, verifyOtp, type OtpDeps } from './otp';

const tag = 'One-time codes';

export function createOtpRoutes(deps: OtpDeps) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/otp/send',
        summary: 'Send a one-time code',
        description: `A new code replaces the active code with the same purpose. A subscriber can receive up to ${limits.otpCodesPerHour} codes per hour. If the messenger is unavailable, the code does not count and the request can be retried.`,
        tag,
        scope: 'send',
        idempotent: {},
        body: sendOtpSchema,
        response: sentOtpSchema,
        errors: ['subscriber_not_found', 'billing_blocked', 'conflict', 'rate_limit_otp', 'platform_busy'],
      },
      async ({ project, body, work }) => {
        await sendOtp(deps, project, body, work);
        return { sent: true, expires_in_seconds: body.ttl_minutes * 60 };
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/otp/verify',
        summary: 'Verify a one-time code',
        description:
          'A wrong code returns `invalid_code` and uses an attempt. Without an active code, or with no attempts left, it returns `not_found`.',
        tag,
        scope: 'send',
        body: verifyOtpSchema,
        response: verifiedOtpSchema,
        errors: ['invalid_code', 'not_found', 'subscriber_not_found'],
      },
      async ({ project, body }) => {
        await verifyOtp(deps, project.id, body);
        return { verified: true };
      },
    ),
  ];
}
