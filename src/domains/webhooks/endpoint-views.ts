import type { Cipher } from '../../base/lib/cipher';
import { isoTime } from '../../base/lib/iso-time';
import type { Db } from '../../base/db/pool';
import type { EndpointView } from './contract';
import { maskHeaders, openHeaders } from './own-headers';
import { listLiveSecrets, type Endpoint } from './queries/endpoints';
import { lastDayOf, type EndpointDay } from './queries/hours';

const NO_RESULTS = { succeeded: 0, failed: 0, last_at: null };

/** Endpoints as the API shows them: with their health and what is known about their secrets, never with a value. */
export function createEndpointViews({ cipher }: { cipher: Cipher }) {
  async function presentAll(db: Db, endpoints: Endpoint[]): Promise<EndpointView[]> {
    const ids = endpoints.map(({ id }) => id);
    const [secrets, days] = await Promise.all([listLiveSecrets(db, ids), lastDayOf(db, ids)]);
    return endpoints.map((endpoint) => ({
      id: endpoint.id,
      url: endpoint.url,
      events: endpoint.events,
      filter: endpoint.filter,
      description: endpoint.description,
      status: endpoint.status,
      disabled_reason: endpoint.disabled_reason,
      retry_policy: endpoint.retry_policy,
      delivery_lane: endpoint.delivery_lane,
      headers: maskHeaders(openHeaders(cipher, endpoint.headers_sealed, endpoint.id)),
      health: healthOf(
        endpoint,
        days.find(({ endpoint_id }) => endpoint_id === endpoint.id),
      ),
      secrets: secrets
        .filter(({ endpoint_id }) => endpoint_id === endpoint.id)
        .map(({ created_at, expires_at }) => ({
          created_at: isoTime(created_at),
          expires_at: expires_at && isoTime(expires_at),
        })),
      created_at: isoTime(endpoint.created_at),
      updated_at: isoTime(endpoint.updated_at),
    }));
  }

  return {
    presentAll,
    async present(db: Db, endpoint: Endpoint): Promise<EndpointView> {
      const [view] = await presentAll(db, [endpoint]);
      return view as EndpointView;
    },
  };
}

function healthOf(
  { status, failing_since }: Endpoint,
  {
    succeeded,
    failed,
    last_at,
  }: Omit<EndpointDay, 'endpoint_id' | 'last_at'> & { last_at: Date | null } = NO_RESULTS,
): EndpointView['health'] {
  const attempts = succeeded + failed;
  const state =
    status === 'disabled'
      ? 'disabled'
      : failing_since !== null
        ? 'failing'
        : succeeded > 0
          ? 'healthy'
          : 'idle';
  return {
    state,
    failing_since: failing_since && isoTime(failing_since),
    success_rate_24h: attempts > 0 ? Number((succeeded / attempts).toFixed(4)) : null,
    last_delivery_at: last_at && isoTime(last_at),
  };
}
