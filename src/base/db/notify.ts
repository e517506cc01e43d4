import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startSweep } from '../lib/sweep';
import type { Outage } from './outage';
import { afterCommit, type Db } from './pool';
import { destroyConnection, keepAlive } from './time-limits';

/** Channels of NOTIFY. A payload only names the row that changed; listeners read the row. */
export const notifyChannels = {
  /** An auth session has a new status; payload: session id. */
  session: 'herald_session',
  /** Deliveries wait for a workflow: its start, or a signal. */
  workflowLane: 'herald_workflow_lane',
  /** First attempts wait for the express lane. */
  expressLane: 'herald_express_lane',
  /** First attempts wait for the lane that is the default of the workers. */
  defaultLane: 'herald_default_lane',
  /** Events are written; only sent while a stream is followed. */
  events: 'herald_events',
  /** Streams of events are being followed. */
  followers: 'herald_followers',
  /** A bot update is stored and waits to be handled. */
  botUpdate: 'herald_bot_update',
  /** A project's own bot was connected, replaced or removed, or its status changed. */
  bots: 'herald_bots',
  /** Something is due in the agenda. */
  agenda: 'herald_agenda',
  /** Lists of projects have changed; payload: their names, as changes.ts writes them. */
  changes: 'herald_changes',
} as const;

/** At most one NOTIFY in this time for each channel and process. */
const DEBOUNCE_MS = 10;

/**
 * Sends NOTIFY on `channel` once the transaction of `db` has committed, combined with others of this process. `payload` names
 * the row that has changed, on channels whose listeners read it.
 */
export function notifyAfterCommit(db: Db, channel: string, payload = ''): void {
  afterCommit(db, payload ? (pool) => notifyDebounced(pool, channel, payload) : hookOf(channel));
}

/** One function for each channel, so that a transaction that writes many rows notifies once. */
const hooks = new Map<string, (pool: pg.Pool) => void>();
function hookOf(channel: string): (pool: pg.Pool) => void {
  const known = hooks.get(channel) ?? ((pool: pg.Pool) => notifyDebounced(pool, channel, ''));
  hooks.set(channel, known);
  return known;
}

/** It writes nothing that must reach the disk, and a flush of its own would hold up the commits beside it. */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
  FROM unnest($2::text[]) AS given (payload)`;

/** Channels that were notified less than the debounce time ago, with the payloads that wait for its end. */
const resting = new WeakMap<pg.Pool, Map<string, Set<string>>>();

type Listeners = Map<string, Set<NotificationListener>>;
/** What listens in this process: it need not wait for the database to send the notification back. */
const inProcess = new Set<Listeners>();
/** Before the payload of this process's notifications, which it has heard already. */
const OWN = `@${randomUUID()}/`;
/** The same of any process. */
const SENDER = /^@[^/]*\//;

/**
 * The first call notifies at once; calls within the next milliseconds share one more. A NOTIFY inside each committing
 * transaction would serialise the commits of the whole server. One that is lost costs a second: listeners also poll.
 */
function notifyDebounced(pool: pg.Pool, channel: string, payload: string): void {
  const channels = resting.get(pool) ?? new Map<string, Set<string>>();
  resting.set(pool, channels);
  const rest = channels.get(channel);
  if (rest) rest.add(payload);
  else notify(pool, channels, channel, [payload]);
}

function notify(
  pool: pg.Pool,
  channels: Map<string, Set<string>>,
  channel: string,
  payloads: readonly string[],
): void {
  const later = new Set<string>();
  channels.set(channel, later);
  for (const listeners of inProcess) {
    for (const listener of listeners.get(channel) ?? []) for (const payload of payloads) listener(payload);
  }
  const values = [channel, payloads.map((payload) => OWN + payload)];
  pool.query({ name: 'notify', text: NOTIFY, values }).catch(() => {});
  setTimeout(() => {
    channels.delete(channel);
    if (later.size > 0 && !pool.ending) notify(pool, channels, channel, [...later]);
  }, DEBOUNCE_MS).unref();
}

/** `payload` is null after a lost connection came back: notifications may have been missed. */
export type NotificationListener = (payload: string | null) => void;

export interface Notifications {
  on(channel: string, listener: NotificationListener): () => void;
  stop(): Promise<void>;
}

const RECONNECT_MS = { first: 100, most: 5_000 };
/** An address that drops packets would otherwise keep the listener waiting for the timeout of the system. */
const CONNECT_TIMEOUT_MS = 3_000;
/** No notification may mean that there is none, or that the connection is dead: a query tells. */
const CHECK = { everyMs: 5_000, limitMs: 5_000 };

/** One LISTEN connection for the whole process, which reconnects by itself. */
export function createNotifications({
  url,
  outage,
}: {
  url: string;
  outage?: Pick<Outage, 'lost' | 'connected'>;
}): Notifications {
  const listeners: Listeners = new Map();
  inProcess.add(listeners);
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
    const next = new pg.Client({
      connectionString: url,
      application_name: 'herald listen',
      ...keepAlive,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CHECK.limitMs,
    });
    let lost = false;
    const onLost = (err?: Error) => {
      if (lost) return;
      lost = true;
      if (client === next) client = null;
      next.end().catch(() => {});
      if (stopped) return;
      outage?.lost(err);
      timer = setTimeout(() => void connect(), delay);
      delay = Math.min(delay * 2, RECONNECT_MS.most);
    };
    next.on('error', onLost);
    next.on('end', () => onLost());
    next.on('notification', ({ channel, payload = '' }) => {
      if (payload.startsWith(OWN)) return;
      const given = payload.replace(SENDER, '');
      for (const listener of listeners.get(channel) ?? []) listener(given);
    });
    try {
      await next.connect();
    } catch (error) {
      onLost(error as Error);
      return;
    }
    if (stopped) return void next.end().catch(() => {});
    client = next;
    outage?.connected();
    // Channels that joined while the connection was being made.
    for (const channel of listeners.keys()) listen(next, channel);
    delay = RECONNECT_MS.first;
    await listening;
    for (const set of listeners.values()) for (const listener of set) listener(null);
  }

  void connect();
  const check = startSweep(CHECK.everyMs, () => {
    const checked = client;
    checked?.query('SELECT 1').catch(() => destroyConnection(checked));
  });

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
      inProcess.delete(listeners);
      clearTimeout(timer);
      check.stop();
      await client?.end().catch(() => {});
    },
  };
}
