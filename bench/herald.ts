import { eventRegistry } from '../src/domains/events/contract';
import { emitTestEvent } from '../src/domains/events';
import type { DeliveryLane } from '../src/domains/webhooks/contract';
import { call } from './calls';
import type { BenchEnvironment } from './environment';
import type { Begin } from './pace';
import { wallClock } from './receiver';

export const event = 'auth.completed';
export const { example } = eventRegistry[event];

export interface HeraldEndpoint {
  id: string;
  project_id: string;
  api_key: string;
  /**
   * Writes the event and its delivery in one statement, as an operation that emits an event does in its transaction.
   */
  begin: Begin;
  /** Deletes the endpoint and cancels its pending deliveries. */
  remove(): Promise<void>;
}

/** Creates a project with one endpoint. */
export async function createHeraldEndpoint(
  { service, servicePool, createProject }: BenchEnvironment,
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
    api_key: project.api_key,
    async begin() {
      const deliveryId = await emitTestEvent(servicePool, endpoint, event, example);
      return { id: deliveryId, at: wallClock() };
    },
    async remove() {
      await api('DELETE', `/v1/webhooks/${endpoint.id}`);
    },
  };
}
