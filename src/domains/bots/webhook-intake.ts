import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { channels, type Channel } from '../../base/contract/common';
import { AppError } from '../../base/contract/errors';
import { readAnyJson } from '../../base/http/json-body';
import { ownBotKey, sharedBotKey } from './bot-key';
import type { Intake } from './intake';
import { platformOf } from './registry';

interface WebhookIntakeOptions {
  intake: Pick<Intake, 'store'>;
  /** The secret that the platform sends with the updates of a bot; null if no such bot uses a webhook here. */
  secretOf: (channel: Channel, bot: string) => Promise<string | null>;
}

/** The path, under the public URL, to which the platform posts the updates of a bot: `/bots/telegram/123` for an own one. */
export function botWebhookPath(bot: string): string {
  return `/bots/${bot.replace(':', '/')}`;
}

const PATH = /^\/bots\/([a-z0-9]+)(?:\/(\d{1,16}))?$/;

function botAt(path: string): { channel: Channel; bot: string } | null {
  const [, name, id] = PATH.exec(path) ?? [];
  const channel = channels.find((each) => each === name);
  if (!channel) return null;
  return { channel, bot: id === undefined ? sharedBotKey(channel) : ownBotKey(channel, Number(id)) };
}

/**
 * `POST /bots/{channel}` and `POST /bots/{channel}/{bot id}`: returns 200 only after the update is stored; the platform
 * redelivers after any other status. The error mapper turns a thrown error, such as a lost database connection, into its
 * status.
 */
export function webhookIntake({ intake, secretOf }: WebhookIntakeOptions): Middleware {
  return async (ctx, next) => {
    const target = botAt(ctx.path);
    const secret = target && (await secretOf(target.channel, target.bot));
    if (!target || secret === null) return next();
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new AppError('method_not_allowed');
    }
    requireSecret(ctx, platformOf(target.channel).secretHeader, secret);
    // Every update that parses is stored: one that is refused would be repeated for ever.
    const update = await readAnyJson(ctx);
    await intake.store(target.channel, [update], undefined, target.bot);
    ctx.status = 200;
    ctx.body = { ok: true };
  };
}

function requireSecret(ctx: Context, header: string, secret: string): void {
  if (isSame(ctx.get(header), secret)) return;
  // The body is not read, so the connection cannot be reused.
  ctx.set('Connection', 'close');
  throw new AppError('unauthorized', 'The webhook secret is missing or wrong.');
}

/** Compares in constant time; hashing makes the lengths equal. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
