import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';

export interface WebhookRegistration {
  url: string;
  /** Null if the platform accepted the URL. */
  error: string | null;
  attempted_at: Date;
}

/** Records the last attempt to register a bot's webhook. */
export function recordWebhookRegistration(
  db: Db,
  bot: string,
  url: string,
  error: string | null,
): Promise<number> {
  return change(
    db,
    'record_webhook_registration',
    `INSERT INTO bot_webhooks (bot, url, error, attempted_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (bot) DO UPDATE
     SET url = excluded.url, error = excluded.error, attempted_at = excluded.attempted_at`,
    [bot, url, error],
  );
}

export function findWebhookRegistration(db: Db, bot: string): Promise<WebhookRegistration | null> {
  return row<WebhookRegistration>(
    db,
    'find_webhook_registration',
    'SELECT url, error, attempted_at FROM bot_webhooks WHERE bot = $1',
    [bot],
  );
}
