import { eventRegistry } from '../src/events/contract';
import type { DeliveryLane } from '../src/webhooks/contract';
import { emitTestEvent } from '../src/events/queries/emit';
import { call } from './calls';
import type { BenchEnvironment } from './environment';
import type { Begin } from './pace';
import { wallClock } from './receiver';

export const event = 'auth.completed';
export const { example } = eventRegistry[event];

export interface HeraldEndpoint {
  id: string;
  project_id: string;
  /** One statement that writes the event and its delivery, as any operation that causes an event does in its commit. */
  begin: Begin;
  /** Removes the endpoint, and with it whatever it has still to get. */
  remove(): Promise<void>;
}

/** A project of its own with one endpoint. */
export async function createHeraldEndpoint(
  { service, createProject }: BenchEnvironment,
  slug: string,
  url: string,
  lane?: DeliveryLane,
): Promise<HeraldEndpoint> {
  const project = await createProject(slug);
  const api = (method: string, path: string, body?: unknown) =>
    call(service.apiUrl ?? '', project.api_key, method, path, body);
  const { id } = await api('POST', '/v1/webhooks', { url, ...(lane ? { delivery_lane: lane } : {}) });
  const endpoint = { id: id ?? '', project_id: project.id };
  return {
    ...endpoint,
    async begin() {
      const deliveryId = await emitTestEvent(service.core.pool, endpoint, event, example);
      return { id: deliveryId, at: wallClock() };
    },
    async remove() {
      await api('DELETE', `/v1/webhooks/${endpoint.id}`);
    },
  };
}
