import type pg from 'pg';
import type { Channel } from '../../base/contract/common';
import { notifyChannels, type Notifications } from '../../base/db/notify';
import type { Cipher } from '../../base/lib/cipher';
import type { Logger } from '../../base/lib/log';
import { startSweep } from '../../base/lib/sweep';
import type { Messenger } from './messenger';
import { listOwnBots, recordBotStatus, type BotStatus, type OwnBotRow } from './queries/own-bots';

/** Binds a sealed token to its column. */
export const botTokenPurpose = 'bot_token';

/** A project's own bot, as this process knows it. */
export interface OwnBot extends OwnBotRow {
  messenger: Messenger;
}

export interface OwnBotsOptions {
  pool: pg.Pool;
  cipher: Cipher;
  notifications: Notifications;
  log: Logger;
  /** Creates the messenger of a bot without calling the platform. */
  connect: (
    row: OwnBotRow,
    token: string,
    report: (status: BotStatus, error: string | null) => void,
  ) => Promise<Messenger>;
}

/** The own bots of all projects. The rows are the truth; each process keeps a copy. */
export interface OwnBots {
  all(): OwnBot[];
  byKey(bot: string): OwnBot | null;
  ofProject(projectId: string, channel: Channel): OwnBot | null;
  /** Resolves when the copy is at least as new as the call. */
  refresh(): Promise<void>;
  /** The same for a bot that this process does not know, at most once a second. */
  refreshForUnknown(): Promise<void>;
  /** Called after the copy has changed. */
  onChange(listener: () => void): () => void;
  stop(): Promise<void>;
}

/** A change is announced by NOTIFY; this finds one whose notification was lost. */
const SWEEP_MS = 5_000;
const UNKNOWN_MS = 1_000;

export async function createOwnBots(options: OwnBotsOptions): Promise<OwnBots> {
  const { pool, cipher, notifications, log } = options;
  let bots = new Map<string, OwnBot>();
  let byProject = new Map<string, OwnBot>();
  const listeners = new Set<() => void>();
  let running: Promise<void> | null = null;
  let queued: Promise<void> | null = null;
  let lookedAt = -Infinity;

  async function open(row: OwnBotRow): Promise<OwnBot | null> {
    const known = bots.get(row.bot);
    // The token is what a messenger is made of; everything else may change under it.
    if (known && known.id === row.id && known.token_sealed === row.token_sealed) {
      return Object.assign(known, row);
    }
    try {
      const token = cipher.decrypt(row.token_sealed, botTokenPurpose, row.id);
      const bot = { ...row } as OwnBot;
      bot.messenger = await options.connect(row, token, (status, error) => report(bot, status, error));
      return bot;
    } catch (err) {
      log.error({ err, bot: row.bot }, 'the token of a project’s own bot could not be read');
      return null;
    }
  }

  function report(bot: OwnBot, status: BotStatus, error: string | null): void {
    if (bot.status === status) return;
    bot.status = status;
    log.warn({ bot: bot.bot, status, error }, 'the status of a project’s own bot has changed');
    recordBotStatus(pool, bot, status, error).catch((err: unknown) =>
      log.warn({ err, bot: bot.bot }, 'the status of a bot could not be recorded'),
    );
  }

  async function load(): Promise<void> {
    lookedAt = performance.now();
    const rows = await listOwnBots(pool);
    const opened = await Promise.all(rows.map(open));
    const next = new Map(opened.filter((bot) => bot !== null).map((bot) => [bot.bot, bot]));
    const isSame = next.size === bots.size && [...next].every(([key, bot]) => bots.get(key) === bot);
    bots = next;
    byProject = new Map([...next.values()].map((bot) => [placeOf(bot.project_id, bot.channel), bot]));
    if (!isSame) for (const listener of listeners) listener();
  }

  /** One read at a time. A call during one waits for the next, because the running one may have missed its change. */
  function refresh(): Promise<void> {
    if (!running) {
      running = load().finally(() => (running = null));
      return running;
    }
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null;
        return refresh();
      });
    return queued;
  }

  function refreshInBackground(): void {
    refresh().catch((err: unknown) => log.warn({ err }, 'the own bots of projects could not be read'));
  }

  await refresh();
  const unsubscribe = notifications.on(notifyChannels.bots, refreshInBackground);
  const sweep = startSweep(SWEEP_MS, refreshInBackground);
  return {
    all: () => [...bots.values()],
    byKey: (bot) => bots.get(bot) ?? null,
    ofProject: (projectId, channel) => byProject.get(placeOf(projectId, channel)) ?? null,
    refresh,
    async refreshForUnknown() {
      if (performance.now() - lookedAt >= UNKNOWN_MS) await refresh();
      else await running;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      sweep.stop();
      unsubscribe();
      await running?.catch(() => undefined);
    },
  };
}

function placeOf(projectId: string, channel: Channel): string {
  return `${projectId}/${channel}`;
}
