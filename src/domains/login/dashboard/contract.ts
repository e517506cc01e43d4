import { z } from 'zod';
import { channelLinks, idSchema } from '../../../base/contract/common';

/** A sign-in by messenger that has begun. */
export const dashboardLoginSchema = z.lazy(() =>
  z
    .strictObject({ login_id: idSchema })
    .extend(channelLinks())
    .extend({
      match_code: z
        .string()
        .describe('The bot shows the same code.')
        .meta({ examples: ['K7QX'] }),
      expires_in: z
        .number()
        .int()
        .describe('Seconds until the login expires.')
        .meta({ examples: [300] }),
    }),
);
export type DashboardLogin = z.infer<typeof dashboardLoginSchema>;

export const dashboardLoginStatusSchema = z.strictObject({
  status: z.enum(['pending', 'confirmed', 'declined', 'expired', 'consumed']),
});
