import type { Channel } from '../contract/common';
import type { Core } from '../core';
import { storedBotKey, type Messenger } from '../bots';
import type { Project } from '../projects/contract';

type Deps = Pick<Core, 'messengers' | 'config'>;

/** The bot that serves a project in a channel: it sends the confirmation and signs the Mini App's data. */
export function botOf(
  { messengers }: Deps,
  project: Pick<Project, 'id'>,
  channel: Channel,
): Messenger | null {
  return messengers.ofProject(project.id, channel);
}

/** The links that open the bot and the Mini App of a project with a start parameter. */
export function botLinks(deps: Deps, project: Pick<Project, 'id'>, start: string) {
  const link = (channel: Channel) => botOf(deps, project, channel)?.link(start) ?? null;
  const miniApp = (channel: Channel) => miniAppLink(deps, project, channel, start);
  return {
    telegram_link: link('telegram'),
    max_link: link('max'),
    telegram_mini_app: miniApp('telegram'),
    max_mini_app: miniApp('max'),
  };
}

export const miniAppSettings = {
  telegram: 'TELEGRAM_MINI_APP',
  max: 'MAX_MINI_APP',
} as const satisfies Record<Channel, string>;

/** The setting is the address of the shared bot's Mini App, or its short name. Of own bots no Mini App is known. */
function miniAppLink(
  deps: Deps,
  project: Pick<Project, 'id'>,
  channel: Channel,
  start: string,
): string | null {
  const setting = deps.config[miniAppSettings[channel]];
  const bot = botOf(deps, project, channel);
  if (!setting || !bot || storedBotKey(bot) !== null) return null;
  const link = new URL(URL.canParse(setting) ? setting : ownAddress(channel, bot.botName, setting));
  link.searchParams.set('startapp', start);
  return link.href;
}

/** MAX has one Mini App for each bot, without a name of its own. */
function ownAddress(channel: Channel, botName: string, shortName: string): string {
  return channel === 'telegram' ? `https://t.me/${botName}/${shortName}` : `https://max.ru/${botName}`;
}
