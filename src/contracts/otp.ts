import { z } from 'zod';
import { limits } from './limits';
import { subscriberIdSchema } from './subscriber-routes';

const purposeSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 _ . : -')
  .default('default')
  .describe('Codes of different purposes do not touch each other.');

const { otpTtlMinutes: ttl, otpAttempts: attempts } = limits;

export const sendOtpSchema = z.strictObject({
  subscriber_id: subscriberIdSchema,
  purpose: purposeSchema,
  ttl_minutes: z.number().int().min(ttl.min).max(ttl.max).default(ttl.default),
  max_attempts: z.number().int().min(attempts.min).max(attempts.max).default(attempts.default),
  code_length: z.union([z.literal(4), z.literal(6), z.literal(8)]).default(6),
});
export type SendOtp = z.output<typeof sendOtpSchema>;

export const sentOtpSchema = z.strictObject({ sent: z.literal(true), expires_in_seconds: z.number().int() });

export const verifyOtpSchema = z.strictObject({
  subscriber_id: subscriberIdSchema,
  code: z.string().min(1).max(32),
  purpose: purposeSchema,
});
export type VerifyOtp = z.output<typeof verifyOtpSchema>;

export const verifiedOtpSchema = z.strictObject({ verified: z.literal(true) });
