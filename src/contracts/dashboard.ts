import { z } from 'zod';
import { idSchema } from './common';

export const signInSchema = z.strictObject({ api_key: z.string().min(1).max(200) });

/** What the dashboard's pages need to know beside the API itself. */
export const dashboardSessionSchema = z.strictObject({
  project_id: idSchema,
  key_id: idSchema,
  temporal_ui_url: z
    .string()
    .nullable()
    .describe('Where the workflows of the namespace can be looked at, or null.'),
});
export type DashboardSession = z.infer<typeof dashboardSessionSchema>;
