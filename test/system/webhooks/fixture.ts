import type http from 'node:http';
import type { EventName } from '../../../src/domains/events/contract';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { startReceiver, type ReceivedRequest, type Receiver } from '../../support/receiver';

/** What a receiver does with a request: a status, or whatever it likes with the response. */
export type Behaviour = number | ((res: http.ServerResponse, request: ReceivedRequest) => void);

export interface ScriptedReceiver extends Receiver {
  /** What it does from now on. */
  behave(behaviour: Behaviour): void;
  /** The requests of one delivery, in order of arrival. */
  of(deliveryId: string): ReceivedRequest[];
}

export async function scriptedReceiver(first: Behaviour = 200): Promise<ScriptedReceiver> {
  let behaviour = first;
  const receiver = await startReceiver((res, request) => {
    if (typeof behaviour === 'function') return behaviour(res, request);
    res.statusCode = behaviour;
    res.end('ok');
  });
  // In place, not spread: the receiver's counters are getters.
  return Object.assign(receiver, {
    behave(next: Behaviour) {
      behaviour = next;
    },
    of: (deliveryId: string) =>
      receiver.received.filter((request) => request.headers['x-service-delivery-id'] === deliveryId),
  });
}

export interface CreatedEndpoint {
  id: string;
  secret: string;
}

export async function createEndpoint(
  project: TestProject,
  url: string,
  more: Record<string, unknown> = {},
): Promise<CreatedEndpoint> {
  const { status, body } = await project.api('POST', '/v1/webhooks', { url, ...more });
  if (status !== 201) throw new Error(`no endpoint: ${JSON.stringify(body)}`);
  return body as CreatedEndpoint;
}

/** An event of the project, with the catalogue's example as its data. */
export function emitExample(
  service: Installation,
  project: TestProject,
  name: EventName = 'auth.completed',
): Promise<string> {
  return service.emitExample(project.id, name);
}

export interface DeliveryRecord {
  id: string;
  endpoint_id: string;
  endpoint_url: string;
  event: string;
  status: string;
  test: boolean;
  lane: string | null;
  workflow_id: string | null;
  ended_reason: string | null;
  attempt_count: number;
  last_http_status: number | null;
  last_error: string | null;
  first_attempt_at: string | null;
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
  body: string;
  attempts: {
    number: number;
    attempted_at: string;
    duration_ms: number | null;
    status: number | null;
    error: string | null;
    request_headers: Record<string, string> | null;
    response_body: string | null;
    next_attempt_at: string | null;
  }[];
}

export async function listDeliveries(
  project: TestProject,
  endpointId: string,
  query = '',
): Promise<DeliveryRecord[]> {
  const { status, body } = await project.api('GET', `/v1/webhooks/${endpointId}/deliveries${query}`);
  if (status !== 200) throw new Error(`no list: ${JSON.stringify(body)}`);
  return (body as { data: DeliveryRecord[] }).data;
}

export async function readDelivery(project: TestProject, id: string): Promise<DeliveryRecord> {
  const { status, body } = await project.api('GET', `/v1/deliveries/${id}`);
  if (status !== 200) throw new Error(`no delivery: ${JSON.stringify(body)}`);
  return body as DeliveryRecord;
}

/** Emits an event that one endpoint gets, and answers the delivery's id. */
export async function emitOne(
  service: Installation,
  project: TestProject,
  endpointId: string,
  name: EventName = 'auth.completed',
): Promise<string> {
  const eventId = await emitExample(service, project, name);
  const { rows } = await service.pool.query<{ id: string }>(
    'SELECT id FROM deliveries WHERE event_id = $1 AND endpoint_id = $2',
    [eventId, endpointId],
  );
  if (!rows[0]) throw new Error('the event has no delivery');
  return rows[0].id;
}

export function untilStatus(
  project: TestProject,
  id: string,
  status: string,
  limitMs?: number,
): Promise<DeliveryRecord> {
  return eventually(async () => {
    const delivery = await readDelivery(project, id);
    if (delivery.status !== status) {
      throw new Error(
        `delivery is ${delivery.status} after ${delivery.attempt_count} attempts, not ${status}`,
      );
    }
    return delivery;
  }, limitMs);
}

export function untilAttempts(project: TestProject, id: string, count: number): Promise<DeliveryRecord> {
  return eventually(async () => {
    const delivery = await readDelivery(project, id);
    const finished = delivery.attempts.filter((attempt) => attempt.duration_ms !== null);
    if (finished.length < count) throw new Error(`${finished.length} attempts so far, not ${count}`);
    return delivery;
  });
}

/** The newest run of a delivery's workflow, as the Temporal UI shows it. */
export function workflowOf(service: Installation, deliveryId: string) {
  return service.client.workflow.getHandle(`delivery/${deliveryId}`);
}

/** How the newest run of the workflow ended. */
export function untilWorkflow(service: Installation, deliveryId: string, status: string) {
  return eventually(async () => {
    const description = await workflowOf(service, deliveryId).describe();
    if (description.status.name !== status) throw new Error(`the workflow is ${description.status.name}`);
    return description;
  });
}
