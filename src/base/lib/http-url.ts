import { z } from 'zod';

/** A setting that is the root of other URLs, so without a slash at its end. */
export const httpUrl = z
  .url({ protocol: /^https?$/, hostname: /.+/, error: 'must be an http or https URL' })
  .transform((value) => value.replace(/\/+$/, ''));
