import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../base/lib/log';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import { recordWebhookRegistration } from './queries/webhooks';

interface WebhookRegistrationOptions {
  /** See bot-key.ts. */
  bot: string;
  /** Null until the bot is connected. */
  messenger: () => Messenger | null;
  url: string;
  secret: string;
  pool: pg.Pool;
  log: Logger;
  /** How often to check that the platform still has the webhook. */
  checkMs?: number;
}

export interface RunningRegistration {
  /** Resolves after the first attempt, whatever came of it. */
  attempted: Promise<void>;
  stop(): Promise<void>;
}

const NOT_CONNECTED_MS = 500;
const RETRY_MS = { first: 1_000, max: 60_000 };
/** MAX removes a webhook whose deliveries have failed for hours. */
const CHECK_MS = 5 * 60_000;

/**
 * Registers a bot's webhook as soon as its platform is connected, and again whenever the platform has lost it. A failed
 * attempt is retried with backoff and recorded for `herald doctor`.
 */
export function startWebhookRegistration(options: WebhookRegistrationOptions): RunningRegistration {
  const { bot, url, secret, pool, log, checkMs = CHECK_MS } = options;
  const stopping = new AbortController();
  let markAttempted = () => {};
  const attempted = new Promise<void>((resolve) => (markAttempted = resolve));

  async function register(messenger: Messenger): Promise<boolean> {
    try {
      await messenger.setWebhook(url, secret);
      await record(null);
      log.info({ bot }, 'the webhook of the bot is registered');
      return true;
    } catch (error) {
      log.error({ err: error, bot }, 'the webhook of the bot could not be registered; retrying');
      await record(error instanceof PlatformError ? error.message : 'Internal error.');
      return false;
    }
  }

  /** The record is for operators only: a database that is unavailable must not stop the registration. */
  async function record(error: string | null): Promise<void> {
    await recordWebhookRegistration(pool, bot, url, error).catch((err: unknown) =>
      log.warn({ err, bot }, 'the state of a bot webhook could not be recorded'),
    );
  }

  async function isRegistered(messenger: Messenger): Promise<boolean> {
    try {
      return (await messenger.webhookState()).urls.includes(url);
    } catch (err) {
      // The platform is unavailable: the next check will tell.
      log.warn({ err, bot }, 'the webhook of the bot could not be checked');
      return true;
    }
  }

  async function run(): Promise<void> {
    let retryMs = RETRY_MS.first;
    let isSet = false;
    while (!stopping.signal.aborted) {
      const messenger = options.messenger();
      if (messenger && !(isSet && (await isRegistered(messenger)))) isSet = await register(messenger);
      markAttempted();
      if (!messenger) await pause(NOT_CONNECTED_MS);
      else if (isSet) await pause(checkMs);
      else await pause(retryMs);
      if (messenger) retryMs = isSet ? RETRY_MS.first : Math.min(retryMs * 2, RETRY_MS.max);
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  const running = run();
  return {
    attempted,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
