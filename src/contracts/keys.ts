import { z } from 'zod';
import { idSchema, timestampSchema } from './common';

export const keySchema = z.strictObject({
  id: idSchema,
  name: z.string().nullable(),
  hint: z.string().describe('The first characters of the key.'),
  current: z.boolean().describe('Whether this request was made with it.'),
  created_at: timestampSchema,
  last_used_at: timestampSchema.nullable().describe('To the minute.'),
  revoked_at: timestampSchema.nullable(),
});
export type KeyView = z.infer<typeof keySchema>;

export const newKeySchema = z.strictObject({ name: z.string().trim().min(1).max(100).optional() });

export const createdKeySchema = z.strictObject({
  ...keySchema.shape,
  api_key: z.string().describe('The key itself. Shown this one time.'),
});
