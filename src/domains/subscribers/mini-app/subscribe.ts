import { type Messenger, PlatformError, botTexts, languageOf, greeting } from '../../bots';
import type { Channel } from '../../../base/contract/common';
import { AppError } from '../../../base/contract/errors';
import { formatSubscriberId } from '../../../base/contract/ids';
import { parseStartParameter } from '../../../base/contract/start-parameters';
import type { Core } from '../../../base/core';
import { withTransaction } from '../../../base/db/pool';
import { sha256 } from '../../../base/lib/tokens';
import { findProject, findProjectBySlug } from '../../projects';
import type { Project } from '../../projects/contract';
import { botOf } from '../bot-links';
import type { MiniSubscribe } from '../contract';
import { grantsOf } from '../links';
import { offeredPermissions } from '../queries/labels';
import { addressOf } from '../messenger-user';
import { findLinkByToken, takeLinkUse, type SubscribeLink } from '../queries/links';
import { findSubscriberOfUser } from '../queries/records';
import { subscribe, type Grants, type MessengerUser } from '../queries/subscriptions';
import type { SubscriberRecord } from '../record';
import { isSigned, parseInitData, type InitData } from './init-data';

export type MiniAppDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns'>;

/** What a start parameter of the Mini App names: a project, and the link if it is one. */
export interface MiniTarget {
  project: Project;
  link: SubscribeLink | null;
}

/** Null for an unknown project, one that is not active, and a link that is unknown, expired or used up. */
export async function findTarget(deps: Pick<Core, 'pool'>, start: string): Promise<MiniTarget | null> {
  const named = await findNamed(deps, start);
  return named && isOpen(named) ? named : null;
}

function isOpen({ project, link }: MiniTarget): boolean {
  return project.active && (link === null || link.live);
}

/** Whether or not one can still subscribe with it. */
async function findNamed({ pool }: Pick<Core, 'pool'>, start: string): Promise<MiniTarget | null> {
  const parameter = parseStartParameter(start);
  if (parameter?.kind === 'subscribe') {
    const project = await findProjectBySlug(pool, parameter.rest);
    return project && { project, link: null };
  }
  if (parameter?.kind !== 'link') return null;
  const link = await findLinkByToken(pool, sha256(parameter.rest));
  const project = link && (await findProject(pool, link.project_id));
  return project && { project, link };
}

/**
 * Subscribes the user of a Mini App. The usual confirmation is sent first: if the messenger refuses it, nothing is
 * stored. A process that dies in between leaves a user who has the message and no subscription; the next tap subscribes
 * them. The use of a link is taken in the transaction that subscribes.
 */
export async function subscribeInMiniApp(
  deps: MiniAppDeps,
  { channel, init_data, permissions }: MiniSubscribe,
): Promise<{ subscriber_id: string; permissions: string[] }> {
  const unverified = parseInitData(init_data);
  if (!unverified) throw new AppError('invalid_init_data');
  const target = await findNamed(deps, unverified.start);
  const bot = requireBot(deps, target?.project ?? null, channel);
  // First of all: a stranger does not learn which projects and links there are.
  if (!bot.initDataKey || !isSigned(unverified, bot.initDataKey)) throw new AppError('invalid_init_data');
  if (!target || !isOpen(target)) throw new AppError('not_found');
  const { project, link } = target;

  const grants = await chosenGrants(deps, target, permissions);
  const known = await findSubscriberOfUser(deps.pool, project.id, channel, unverified.user.id);
  if (known?.active && hasAll(known, grants)) throw new AppError('already_subscribed');
  const user = messengerUser(bot, unverified);
  const { messageId } = await confirm(deps, bot, project, user);
  const format = deps.config.HERALD_SUBSCRIBER_ID_FORMAT;
  const subscribed = await withTransaction(deps.pool, async (db) => {
    if (link && !(await takeLinkUse(db, link.id))) return null;
    const { subscriber, isChanged } = await subscribe(db, project.id, user, format, grants);
    // The same user was faster in another request. The use is not taken.
    if (!isChanged) throw new AppError('already_subscribed');
    return subscriber;
  });
  if (!subscribed) {
    // Another user took the last use meanwhile, so the confirmation is not true.
    const text = botTexts[user.lang].unknownLink;
    await bot.edit(user.chat_id, messageId, { text }).catch(() => undefined);
    throw new AppError('not_found');
  }
  return {
    subscriber_id: formatSubscriberId(subscribed.id, format),
    permissions: subscribed.permissions,
  };
}

/** The shared one without a project. */
function requireBot(deps: MiniAppDeps, project: Project | null, channel: Channel): Messenger {
  const bot = project ? botOf(deps, project, channel) : deps.messengers.get(channel);
  if (bot) return bot;
  throw new AppError(deps.messengers.configured.includes(channel) ? 'platform_busy' : 'invalid_init_data');
}

/** What the link gives and what the user has chosen; only permissions that the Mini App offers can be chosen. */
async function chosenGrants(
  { pool }: MiniAppDeps,
  { project, link }: MiniTarget,
  chosen: string[] | undefined,
): Promise<Grants> {
  const grants = link ? grantsOf(link) : {};
  if (chosen === undefined) return grants;
  const offered = new Set((await offeredPermissions(pool, project.id)).map(({ name }) => name));
  const unknown = chosen.find((name) => !offered.has(name));
  if (unknown !== undefined) {
    throw new AppError('validation_failed', `permissions: "${unknown}" is not offered`);
  }
  return {
    ...grants,
    permissions: [...new Set([...(grants.permissions ?? []), ...chosen])],
    withoutTitledDefaults: true,
  };
}

function hasAll(known: SubscriberRecord, { tags = [], permissions = [], external_id }: Grants): boolean {
  return (
    tags.every((name) => known.tags.includes(name)) &&
    permissions.every((name) => known.permissions.includes(name)) &&
    (external_id === undefined || external_id === null || external_id === known.external_id)
  );
}

function messengerUser(messenger: Messenger, { user }: InitData): MessengerUser {
  return {
    ...addressOf({ messenger, user }),
    first_name: user.firstName,
    username: user.username,
    lang: languageOf(user.language),
  };
}

async function confirm(
  deps: MiniAppDeps,
  bot: Messenger,
  project: Project,
  user: MessengerUser,
): Promise<{ messageId: string }> {
  const text = await greeting(deps, project, user);
  try {
    const sent = await bot.send(user.chat_id, { text });
    deps.turns.count(bot.bot, 1);
    return sent;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.retryable) throw new AppError('platform_busy');
    throw new AppError('conflict', 'The bot cannot write to this user. Open the bot first, then try again.');
  }
}
