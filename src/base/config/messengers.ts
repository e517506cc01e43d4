import type { z } from 'zod';
import type { Channel } from '../contract/common';
import type { Setting } from './setting-types';

/** The settings that a messenger declares. */
export interface MessengerSettings {
  name: Channel;
  /** Of the shared bot. */
  token: Setting<string | undefined>;
  apiRoot: Setting<string>;
  miniApp: Setting<string | undefined> | undefined;
}

/** What the operator has set for a messenger. */
export interface PlatformSettings {
  /** Of the shared bot. */
  token: string | undefined;
  apiRoot: string;
  /** The shared bot's Mini App. */
  miniApp: string | undefined;
}

/** By environment variable. */
export function variablesOf(messengers: MessengerSettings[]): Record<string, z.ZodType> {
  const declared = messengers.flatMap(({ token, apiRoot, miniApp }) => [token, apiRoot, miniApp]);
  return Object.fromEntries(
    declared.flatMap((setting) => (setting ? [[setting.variable, setting.schema]] : [])),
  );
}

/** Parsed variables by messenger. */
export function platformsIn(
  values: Record<string, unknown>,
  messengers: MessengerSettings[],
): Record<Channel, PlatformSettings> {
  return Object.fromEntries(
    messengers.map(({ name, token, apiRoot, miniApp }) => [
      name,
      {
        token: values[token.variable] as string | undefined,
        apiRoot: values[apiRoot.variable] as string,
        miniApp: miniApp && (values[miniApp.variable] as string | undefined),
      },
    ]),
  );
}
