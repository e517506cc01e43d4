import { limits } from '../contract/limits';
import { route } from '../http/route';
import { sendOtpSchema, sentOtpSchema, verifiedOtpSchema, verifyOtpSchema } from './contract';
import { sendOtp, verifyOtp, type OtpDeps } from './otp';

const tag = 'One-time codes';

export function createOtpRoutes(deps: OtpDeps) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/otp/send',
        summary: 'Send a one-time code to a subscriber',
        description: `A new code replaces the active one of the same purpose. A subscriber gets at most ${limits.otpCodesPerHour} codes an hour. Where the messenger is away, nothing counts and the request may be repeated.`,
        tag,
        auth: 'key',
        body: sendOtpSchema,
        status: 200,
        response: sentOtpSchema,
        errors: ['subscriber_not_found', 'billing_blocked', 'conflict', 'rate_limit_otp', 'platform_busy'],
      },
      async ({ project, body }) => {
        await sendOtp(deps, project, body);
        return { sent: true, expires_in_seconds: body.ttl_minutes * 60 };
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/otp/verify',
        summary: 'Check the code that a user typed',
        description:
          'A wrong code is `invalid_code` and counts; where there is no active code, or its attempts are used up, `not_found`.',
        tag,
        auth: 'key',
        body: verifyOtpSchema,
        status: 200,
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
