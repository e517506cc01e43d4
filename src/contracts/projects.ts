import { z } from 'zod';
import { slugSchema } from './common';
import { planNames } from './limits';

/** Where a user returns to after the login: an absolute http(s) address, which gets `code` and `state` appended. */
export const returnUrlSchema = z
  .string()
  .max(2048)
  .refine(isReturnUrl, 'must be an absolute http or https URL without user info or fragment');

function isReturnUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !text.includes('#');
}

const wholeLimit = z.coerce.number().int().min(1).max(10_000_000);

export const newProjectSchema = z.strictObject({
  slug: slugSchema,
  name: z.string().trim().min(1).max(100),
  callback_url: returnUrlSchema.optional(),
  plan: z.enum(planNames).optional(),
});

/** What `herald project set` takes. */
export const projectChangesSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  callback_url: returnUrlSchema.optional(),
  redirect_urls: z.array(returnUrlSchema).max(20).optional(),
  plan: z.enum(planNames).optional(),
  active: z.boolean().optional(),
  requests_per_minute: wholeLimit.optional(),
  sessions_per_hour: wholeLimit.optional(),
  sessions_per_address: wholeLimit.optional(),
});
