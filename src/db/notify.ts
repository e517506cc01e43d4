import pg from 'pg';
import type { Logger } from '../lib/log';

/** Channels of NOTIFY. The payload only says where to look; the row is always the truth. */
export const notifyChannels = {
  /** An auth session has a new status; payload: session id. */
  session: 'herald_session',
  /** Auth sessions wait for their workflow. */
  sessionStart: 'herald_session_start',
  /** Deliveries are due to be started; payload: see `readDueNotice`. */
  delivery: 'herald_delivery',
  /** A bot update is stored and waits to be handled. */
  botUpdate: 'herald_bot_update',
  /** Broadcasts wait for their workflow. */
  broadcast: 'herald_broadcast',
} as const;

/** `lane endpoint`: both, only the lane, or nothing. The lane is `any` where it may be either. */
export function readDueNotice(payload: string): { lane: string; endpointId: string | null } {
  const [lane, endpointId] = payload.split(' ');
  return { lane: lane || 'any', endpointId: endpointId || null };
}

/** `payload` is null after a lost connection came back: anything may have been missed, so look for yourself. */
export type NotificationListener = (payload: string | null) => void;

export interface Notifications {
  on(channel: string, listener: NotificationListener): () => void;
  stop(): Promise<void>;
}

const RECONNECT_MS = { first: 100, most: 5_000 };

/** One LISTEN connection for the whole process, which comes back by itself. */
export function createNotifications({ url, log }: { url: string; log: Logger }): Notifications {
  const listeners = new Map<string, Set<NotificationListener>>();
  let client: pg.Client | null = null;
  let stopped = false;
  let delay = RECONNECT_MS.first;
  let timer: NodeJS.Timeout | undefined;
  // One LISTEN after the other: a connection takes one statement at a time.
  let listening: Promise<unknown> = Promise.resolve();

  function listen(target: pg.Client, channel: string): void {
    listening = listening.then(() => target.query(`LISTEN ${channel}`)).catch(() => {});
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, application_name: 'herald listen', keepAlive: true });
    let lost = false;
    const onLost = (err?: Error) => {
      if (lost) return;
      lost = true;
      if (client === next) client = null;
      next.end().catch(() => {});
      if (stopped) return;
      log.warn({ err }, 'the notification connection was lost');
      timer = setTimeout(() => void connect(), delay);
      delay = Math.min(delay * 2, RECONNECT_MS.most);
    };
    next.on('error', onLost);
    next.on('end', () => onLost());
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
    });
    try {
      await next.connect();
    } catch (error) {
      onLost(error as Error);
      return;
    }
    if (stopped) return void next.end().catch(() => {});
    client = next;
    // Channels that joined while the connection was being made.
    for (const channel of listeners.keys()) listen(next, channel);
    delay = RECONNECT_MS.first;
    await listening;
    for (const set of listeners.values()) for (const listener of set) listener(null);
  }

  void connect();

  return {
    on(channel, listener) {
      const set = listeners.get(channel) ?? new Set();
      const isNew = set.size === 0;
      set.add(listener);
      listeners.set(channel, set);
      if (isNew && client) listen(client, channel);
      return () => set.delete(listener);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
