import { messengerSettings } from '../domains/bots/settings';
import * as config from '../base/config';

/* All settings, including those that domains declare. */

export const settings = () => config.settingsWith(messengerSettings());

/** Parses each setting on its own: enough for the commands, which run no service. */
export const readSettings = (env: NodeJS.ProcessEnv) => config.readSettings(env, messengerSettings());

export const loadConfig = (env: NodeJS.ProcessEnv, roles?: string) =>
  config.loadConfig(env, { roles, messengers: messengerSettings() });
