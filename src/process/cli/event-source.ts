import { setTimeout as sleep } from 'node:timers/promises';
import { Herald, HeraldError } from '../../../sdk/typescript/src';
import { createNotifications } from '../../base/db/notify';
import { followEvents } from '../../domains/events/follow';
import { endOfStream, type StreamPlace } from '../../domains/events/queries/stream';
import { isoTime } from '../../base/lib/iso-time';
import { databaseUrlOf, findInstallation, UsageError, withDatabase } from './context';
import { chooseProject } from './projects';
import { reasonOf, type RemoteApi } from './remote';

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
        const notifications = createNotifications({ url: databaseUrlOf(installation) });
        try {
          let after: StreamPlace = await endOfStream(pool, projectId);
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
              for (const { id, seq, name, test, created_at, body } of events) {
                await onEvent({ event_id: id, event: name, test, created_at: isoTime(created_at), body });
                after = seq;
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
  // Without retries of its own: each lost connection is shown.
  const herald = new Herald({ baseUrl: url, apiKey: key, maxRetries: 0 });
  return {
    async follow({ onOpen, onEvent, onInterrupted, onGap, signal }) {
      const query = names ? { events: names.join(',') } : {};
      const shown = (error: Error, retryMs: number) => onInterrupted(reasonOf(error), retryMs);
      try {
        for await (const event of herald.webhooks.stream(query, {
          signal,
          onOpen,
          onInterrupted: shown,
          onGap,
        })) {
          await onEvent(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof HeraldError ? new UsageError(error.message) : error;
      }
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
