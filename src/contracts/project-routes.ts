import { z } from 'zod';
import { idSchema, timestampSchema } from './common';
import { limits, planNames } from './limits';
import { returnUrlSchema } from './projects';
import { retryPolicySchema } from './webhooks';

const welcomeSchema = z.string().trim().min(1).max(limits.welcomeLength).nullable();

export const projectSchema = z.strictObject({
  id: idSchema,
  slug: z.string(),
  name: z.string(),
  plan: z.enum(planNames),
  callback_url: z.string().nullable().describe('Where users of the static link return to.'),
  redirect_urls: z
    .array(z.string())
    .describe('What a session may name as its redirect_uri, beside callback_url.'),
  retry_policy: retryPolicySchema.describe('For endpoints that name none when they are created.'),
  welcome_en: z
    .string()
    .nullable()
    .describe('What the bot adds, in English, when somebody has logged in or subscribed.'),
  welcome_ru: z.string().nullable().describe('The same in Russian.'),
  created_at: timestampSchema,
});
export type ProjectView = z.infer<typeof projectSchema>;

export const ownProjectChangesSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  callback_url: returnUrlSchema.nullable().optional(),
  redirect_urls: z
    .array(returnUrlSchema)
    .max(limits.redirectUrls)
    .transform((urls) => [...new Set(urls)])
    .optional(),
  retry_policy: retryPolicySchema.optional(),
  welcome_en: welcomeSchema.optional(),
  welcome_ru: welcomeSchema.optional(),
});
export type OwnProjectChanges = z.input<typeof ownProjectChangesSchema>;

export const usageSchema = z.strictObject({
  plan: z.enum(planNames),
  month: z.string().describe('The calendar month in UTC: YYYY-MM.'),
  logins: z.number().int().describe('Successful logins of the month.'),
  plan_logins: z.number().int().describe('Logins that the plan includes each month.'),
  plan_logins_used: z.number().int(),
  purchased_credits: z.number().int().describe('Logins left of purchased packs.'),
  grace_ends_at: timestampSchema.nullable().describe('End of this month’s grace period, once it has begun.'),
  billing_blocked: z.boolean().describe('Whether paid operations are refused.'),
  days: z
    .array(z.strictObject({ date: z.iso.date(), logins: z.number().int() }))
    .describe('Successful logins of each of the last 30 days in UTC, oldest first.'),
});
export type UsageView = z.infer<typeof usageSchema>;
