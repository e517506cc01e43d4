import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Messengers } from './bots/messengers';
import type { Config } from './config';
import type { Cipher } from './lib/cipher';
import type { Notifications } from './db/notify';
import type { Logger } from './lib/log';
import type { TaskQueues } from './temporal/names';

/** What every role of the process is built from. Made in service.ts, handed to everything else. */
export interface Core {
  config: Config;
  log: Logger;
  pool: pg.Pool;
  cipher: Cipher;
  notifications: Notifications;
  /** Connects when first used: the API starts while Temporal is away. */
  client: Client;
  queues: TaskQueues;
  messengers: Messengers;
  /** Where users and projects reach the service; follows the bound port in development. */
  publicUrl(): string;
  temporalUiUrl: string | null;
}
