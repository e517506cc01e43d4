import { z } from 'zod';
import { limits } from '../../contract/limits';

export const trackedNameSchema = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_.-]{1,${limits.trackedNameLength}}$`),
    `must be 1 to ${limits.trackedNameLength} characters of a-z, 0-9, _, . and -`,
  );
