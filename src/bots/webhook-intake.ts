import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { channels, type Channel } from '../contract/common';
import { AppError } from '../contract/errors';
import { readJsonBody } from '../http/json-body';
import type { Intake } from './intake';

const secretHeaders: Record<Channel, string> = {
  telegram: 'x-telegram-bot-api-secret-token',
  max: 'x-max-bot-api-secret',
};

export interface WebhookIntakeOptions {
  intake: Pick<Intake, 'store'>;
  /** Channels that bring their updates by webhook, with the secret that each sends along. */
  secrets: Partial<Record<Channel, string>>;
}

/** Path under the public URL at which a platform delivers. */
export function botWebhookPath(channel: Channel): string {
  return `/bots/${channel}`;
}

/**
 * `POST /bots/{channel}`: 200 only once the update is stored; anything else makes the platform deliver it again.
 * Whatever is thrown, a database that is away included, becomes its status in the error mapper.
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
      // The body stays unread, so the connection cannot serve another request.
      ctx.set('Connection', 'close');
      throw new AppError('unauthorized', 'The webhook secret is missing or wrong.');
    }
    await intake.store(channel, [await readJsonBody(ctx)]);
    ctx.status = 200;
    ctx.body = { ok: true };
  };
}

/** In constant time; hashing first makes the lengths equal. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
