import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../base/contract/limits';
import type { SessionRecord } from '../../domains/login/contract';
import { sessionOutcome } from '../../domains/login/session-outcome';
import type { DeliveryView } from '../../domains/webhooks/contract';
import { UsageError } from './context';
import { endpointName } from './endpoint-name';
import { remoteEvents, type ListenedEvent } from './event-source';
import { callApi, disconnected, reasonOf, type RemoteApi } from './remote';
import { createChanges, type Entry, type Following, type Kind } from './tail-entries';

/** A tenth of what the project may request in a minute. */
const POLL_MS = 2_000;
const RETRY_MS = 5_000;

type Page<T> = { data: T[] };

/** The newest entries of a list of the API. */
const readers = {
  deliveries: async (remote: RemoteApi) => {
    const { data } = await callApi<Page<DeliveryView>>(
      remote,
      'GET',
      `/v1/deliveries?limit=${limits.pageSize.max}`,
    );
    return data.map((found): Entry => ({
      at: found.created_at,
      project: null,
      id: found.id,
      what: found.event,
      status: found.status,
      detail: found.last_error ?? (found.last_http_status === null ? null : String(found.last_http_status)),
      endpoint: endpointName(null, found.endpoint_url),
      changedAt: found.ended_at,
    }));
  },
  logins: async (remote: RemoteApi) => {
    const path = `/v1/auth/sessions?limit=${limits.pageSize.max}`;
    const { data } = await callApi<Page<SessionRecord>>(remote, 'GET', path);
    return data.map((found): Entry => ({
      at: found.created_at,
      project: null,
      id: found.session_id,
      what: found.flow,
      status: sessionOutcome(found),
      detail: found.channel,
      changedAt: found.redeemed_at ?? found.decided_at,
    }));
  },
};

/** What happens from now on in the project of a remote service's key. */
export async function followRemote(remote: RemoteApi, kind: Kind, following: Following): Promise<void> {
  if (kind === 'messages') return followMessages(remote, following);
  const { onOpen, show, signal } = following;
  const changed = createChanges();
  let earlier: { ids: Set<string>; newest: string } | null = null;
  while (!signal.aborted) {
    try {
      const entries = await readers[kind](remote);
      if (earlier) {
        const { ids, newest } = earlier;
        // By the service's own times: clocks differ.
        changed(entries.filter(({ id, at }) => at >= newest && !ids.has(id))).forEach(show);
      } else {
        earlier = { ids: new Set(entries.map(({ id }) => id)), newest: entries[0]?.at ?? '' };
        onOpen();
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UsageError) throw error;
      disconnected(reasonOf(error), RETRY_MS);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** By events: between two polls of `GET /v1/messages` a broadcast can send more messages than a page holds. */
async function followMessages(remote: RemoteApi, { onOpen, show, signal }: Following): Promise<void> {
  let wasOpen = false;
  await remoteEvents(remote, ['delivery.success', 'delivery.failed']).follow({
    signal,
    onOpen() {
      if (!wasOpen) onOpen();
      wasOpen = true;
    },
    onEvent: async (event) => show(messageEntry(event)),
    onInterrupted: disconnected,
    onGap: () =>
      process.stderr.write('Entries were missed: the connection was lost for more than an hour.\n'),
  });
}

function messageEntry({ event, event_id, created_at, body }: ListenedEvent): Entry {
  const { data } = JSON.parse(body) as { data: { delivery_id?: string; channel: string; reason?: string } };
  return {
    at: created_at,
    project: null,
    // A message that failed is not named by its event.
    id: data.delivery_id ?? event_id,
    what: data.channel,
    status: event === 'delivery.success' ? 'sent' : 'failed',
    detail: data.reason ?? null,
    changedAt: null,
  };
}
