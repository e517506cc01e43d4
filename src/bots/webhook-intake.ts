import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { channels, type Channel } from '../contract/common';
import { AppError } from '../contract/errors';
import { readAnyJson } from '../http/json-body';
import type { Intake } from './intake';

const secretHeaders: Record<Channel, string> = {
  telegram: 'x-telegram-bot-api-secret-token',
  max: 'x-max-bot-api-secret',
};

export interface WebhookIntakeOptions {
  intake: Pick<Intake, 'store'>;
  /** Channels in webhook mode, with the secret that each platform sends. */
  secrets: Partial<Record<Channel, string>>;
}

/** The path, under the public URL, to which the platform posts updates. */
export function botWebhookPath(channel: Channel): string {
  return `/bots/${channel}`;
}

/**
 * `POST /bots/{channel}`: returns 200 only after the update is stored; the platform redelivers after any other status.
 * The error mapper turns a thrown error, such as a lost database connection, into its status.
 */
export function webhookIntake({ intake, secrets }: WebhookIntakeOptions): Middleware {
  return async (ctx, next) => {
    const channel = channels.find((each) => ctx.path === botWebhookPath(each));
    const secret = channel && secrets[channel];
    if (!channel || secret === undefined) return next();
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new AppError('method_not_allowed');
    }
    if (!isSame(ctx.get(secretHeaders[channel]), secret)) {
      // The body is not read, so the connection cannot be reused.
      ctx.set('Connection', 'close');
      throw new AppError('unauthorized', 'The webhook secret is missing or wrong.');
    }
    // Every update that parses is stored: one that is refused would be repeated for ever.
    await intake.store(channel, [await readAnyJson(ctx, { fatal: false })]);
    ctx.status = 200;
    ctx.body = { ok: true };
  };
}

/** Compares in constant time; hashing makes the lengths equal. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
