import { randomUUID } from 'node:crypto';
import {
  type BotIdentity,
  type OwnBot,
  PlatformError,
  botTokenPurpose,
  findProjectBot,
  ownBotKey,
  platformOf,
  removeProjectBot,
  saveProjectBot,
} from '../../bots';
import type { Channel } from '../../../base/contract/common';
import { AppError } from '../../../base/contract/errors';
import type { Core } from '../../../base/core';
import { withTransaction } from '../../../base/db/pool';
import { lockProject } from '..';
import type { ChannelView } from './contract';

export type ChannelDeps = Pick<Core, 'pool' | 'cipher' | 'config' | 'messengers' | 'log'>;

/**
 * Connects a project's own bot or replaces it. Every process learns of it by NOTIFY; this one before it responds, so that
 * the links of the next request are those of the new bot.
 */
export async function connectOwnBot(
  deps: ChannelDeps,
  projectId: string,
  channel: Channel,
  token: string,
): Promise<ChannelView> {
  const { pool, cipher, messengers } = deps;
  if (!platformOf(channel).tokenPattern.test(token)) throw new AppError('invalid_bot_token');
  if (messengers.isShared(channel, token)) throw inUse();
  const identity = await identify(deps, channel, token);
  if (messengers.isShared(channel, token, identity)) throw inUse();
  const bot = ownBotKey(channel, identity.botId);
  const before = messengers.own.ofProject(projectId, channel);
  await withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const row = await findProjectBot(db, projectId, channel);
    const id = row?.id ?? randomUUID();
    await saveProjectBot(db, row, {
      id,
      project_id: projectId,
      channel,
      bot,
      username: identity.botName,
      token_sealed: cipher.encrypt(token, botTokenPurpose, id),
    });
  }).catch((error: unknown) => {
    throw isTaken(error) ? inUse() : error;
  });
  if (before && before.bot !== bot) await release(deps, before);
  await messengers.own.refresh();
  return { channel, bot_username: identity.botName, own: true, status: 'connected' };
}

export async function removeOwnBot(deps: ChannelDeps, projectId: string, channel: Channel): Promise<void> {
  const before = deps.messengers.own.ofProject(projectId, channel);
  await withTransaction(deps.pool, (db) => removeProjectBot(db, projectId, channel));
  if (before) await release(deps, before);
  await deps.messengers.own.refresh();
}

async function identify(
  { messengers, log }: ChannelDeps,
  channel: Channel,
  token: string,
): Promise<BotIdentity> {
  try {
    return await messengers.identify(channel, token);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.info({ channel, reason: error.reason, status: error.status }, 'a bot could not be connected');
    throw new AppError(error.retryable ? 'platform_busy' : 'invalid_bot_token');
  }
}

/**
 * Tells the platform to send no more updates here. Best effort: they would be refused, and the token may be revoked. The
 * leader of the bot ends its polling by itself.
 */
async function release({ config, log }: ChannelDeps, { bot, messenger }: OwnBot): Promise<void> {
  if (config.botUpdates !== 'webhook') return;
  await messenger
    .deleteWebhook()
    .catch((err: unknown) => log.info({ err, bot }, 'the webhook of a removed bot could not be deleted'));
}

function isTaken(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'project_bots_bot';
}

function inUse(): AppError {
  return new AppError('conflict', 'This bot is already used here.');
}
