import type { Channel } from '../../base/contract/common';
import type { Core } from '../../base/core';
import { linkFields, platformOf, storedBotKey, type Messenger } from '../bots';
import type { Project } from '../projects/contract';
import type { BotLinksView } from './contract';

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
export function botLinks(deps: Deps, project: Pick<Project, 'id'>, start: string): BotLinksView {
  return {
    ...linkFields('link', (channel) => botOf(deps, project, channel)?.link(start) ?? null),
    ...linkFields('mini_app', (channel) => miniAppLink(deps, project, channel, start)),
  };
}

/** For a caller who may not have them. */
export function noBotLinks(): BotLinksView {
  return { ...linkFields('link', () => null), ...linkFields('mini_app', () => null) };
}

/** The setting is the address of the shared bot's Mini App, or its short name. Of own bots no Mini App is known. */
function miniAppLink(
  deps: Deps,
  project: Pick<Project, 'id'>,
  channel: Channel,
  start: string,
): string | null {
  const { miniApp } = platformOf(channel);
  const setting = deps.config.platforms[channel]?.miniApp;
  const bot = botOf(deps, project, channel);
  if (!miniApp || !setting || !bot || storedBotKey(bot) !== null) return null;
  const link = new URL(URL.canParse(setting) ? setting : miniApp.address(bot.botName, setting));
  link.searchParams.set('startapp', start);
  return link.href;
}
