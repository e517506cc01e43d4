import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createNotifications } from '../db/notify';
import { followEvents } from '../events/follow';
import { endOfStream, type StreamPlace } from '../events/queries/stream';
import { isoTime } from '../lib/iso-time';
import { databaseUrlOf, findInstallation, UsageError, withDatabase } from './context';
import { chooseProject } from './projects';
import { reasonOf, refusalOf, type RemoteApi } from './remote';

/** An event as `GET /v1/webhooks/stream` sends it. */
export interface ListenedEvent {
  event_id: string;
  event: string;
  test: boolean;
  created_at: string;
  body: string;
}

export interface EventSource {
  /** Calls `onOpen` each time the stream opens, and `onEvent` for one event after the other, until `signal` aborts. */
  follow(handlers: {
    onOpen: () => void;
    onEvent: (event: ListenedEvent) => Promise<void>;
    /** What the user should know; the stream is opened again after `retryMs`. */
    onInterrupted: (reason: string, retryMs: number) => void;
    onGap: () => void;
    signal: AbortSignal;
  }): Promise<void>;
}

const RETRY_MS = { first: 500, most: 5_000 };

/** The events of a local project, read from the database. */
export function localEvents(slug: string | undefined, names: string[] | null): EventSource {
  return {
    async follow({ onOpen, onEvent, onInterrupted, signal }) {
      const installation = await findInstallation();
      await withDatabase(async (pool) => {
        const { id: projectId } = await chooseProject(pool, installation, slug);
        const notifications = createNotifications({
          url: databaseUrlOf(installation),
          log: pino({ level: 'silent' }),
        });
        try {
          let after: StreamPlace = await endOfStream(pool);
          await reconnecting({ onInterrupted, signal }, async (opened) => {
            let isOpen = false;
            for await (const { events, place } of followEvents(
              { pool, notifications },
              { projectId, after, names, signal },
            )) {
              // Only a read shows that the database is there.
              if (!isOpen) {
                isOpen = true;
                opened();
                onOpen();
              }
              for (const { id, xid, name, test, created_at, body } of events) {
                await onEvent({ event_id: id, event: name, test, created_at: isoTime(created_at), body });
                after = { id, xid };
              }
              after = place;
            }
          });
        } finally {
          await notifications.stop();
        }
      }, installation);
    },
  };
}

/** The events of the project of an API key, over HTTP. */
export function remoteEvents({ url, key }: RemoteApi, names: string[] | null): EventSource {
  const address = new URL('/v1/webhooks/stream', url);
  if (names) address.searchParams.set('events', names.join(','));
  return {
    async follow({ onOpen, onEvent, onInterrupted, onGap, signal }) {
      let lastId: string | null = null;
      await reconnecting({ onInterrupted, signal }, async (opened) => {
        const headers = {
          authorization: `Bearer ${key}`,
          accept: 'text/event-stream',
          ...(lastId ? { 'last-event-id': lastId } : {}),
        };
        const response = await fetch(address, { headers, signal, redirect: 'error' });
        if (!response.ok || !response.body) throw await refusalOf(response);
        opened();
        onOpen();
        for await (const message of readMessages(response.body)) {
          if (message.type === 'gap') onGap();
          if (message.type === 'message') await onEvent(JSON.parse(message.data) as ListenedEvent);
          lastId = message.id ?? lastId;
        }
        throw new Error('the stream ended');
      });
    },
  };
}

async function reconnecting(
  {
    onInterrupted,
    signal,
  }: { onInterrupted: (reason: string, retryMs: number) => void; signal: AbortSignal },
  run: (opened: () => void) => Promise<void>,
): Promise<void> {
  let retryMs = RETRY_MS.first;
  while (!signal.aborted) {
    try {
      await run(() => (retryMs = RETRY_MS.first));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UsageError) throw error;
      onInterrupted(reasonOf(error), retryMs);
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      retryMs = Math.min(retryMs * 2, RETRY_MS.most);
    }
  }
}

export interface StreamMessage {
  /** `place`: without data, only to resume from its id. */
  type: string;
  data: string;
  id: string | null;
}

/** The messages of a stream of server-sent events. */
export async function* readMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamMessage, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const valueOf = (name: string) =>
        fields.filter((field) => field.startsWith(`${name}: `)).map((field) => field.slice(name.length + 2));
      const data = valueOf('data').join('\n');
      const id = valueOf('id')[0] ?? null;
      if (data !== '') yield { type: valueOf('event')[0] ?? 'message', data, id };
      else if (id !== null) yield { type: 'place', data, id };
    }
  }
}
