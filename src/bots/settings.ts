import type { z } from 'zod';
import type { Channel } from '../contract/common';
import { platforms } from './registry';

/** What the operator has set for a messenger. */
export interface PlatformSettings {
  /** Of the shared bot. */
  token: string | undefined;
  apiRoot: string;
  /** The shared bot's Mini App. */
  miniApp: string | undefined;
}

/** The settings of all messengers, by environment variable. */
export function platformVariables(): Record<string, z.ZodType> {
  return Object.fromEntries(
    platforms()
      .flatMap(({ settings: { token, apiRoot }, miniApp }) => [token, apiRoot, miniApp?.setting])
      .flatMap((setting) => (setting ? [[setting.variable, setting.schema]] : [])),
  );
}

/** Parsed variables by messenger. */
export function platformSettings(values: Record<string, unknown>): Record<Channel, PlatformSettings> {
  return Object.fromEntries(
    platforms().map(({ name, settings: { token, apiRoot }, miniApp }) => [
      name,
      {
        token: values[token.variable] as string | undefined,
        apiRoot: values[apiRoot.variable] as string,
        miniApp: miniApp ? (values[miniApp.setting.variable] as string | undefined) : undefined,
      },
    ]),
  );
}
