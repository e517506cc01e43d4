import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Config } from './config';
import type { Notifications } from './db/notify';
import type { Pools } from './db/pools';
import type { Cipher } from './lib/cipher';
import type { Logger } from './lib/log';
import type { TaskQueues } from './temporal/names';

/** The dependencies shared by all roles, to which `bots` adds its own. Created in service.ts. */
export interface Core {
  config: Config;
  log: Logger;
  /** Connections by purpose. */
  pools: Pools;
  /** One of them: a role passes on the pool for what its parts do. */
  pool: pg.Pool;
  cipher: Cipher;
  notifications: Notifications;
  /** Connects on first use, so that the API can start while Temporal is unavailable. */
  client: Client;
  /** On the connection of this process's own worker, once there is one: a start can be eager. */
  eagerClient(): Client | null;
  queues: TaskQueues;
  /** The public URL of the service; follows the bound address and port in development. */
  publicUrl(): string;
  temporalUiUrl: string | null;
}
