import type { z } from 'zod';
import type { broadcastSchema } from '../../src/broadcasts/contract';
import type { DashboardSession } from '../../src/projects/contract';
import type { deliveryWithAttemptsSchema, DeliveryView } from '../../src/webhooks/contract';
import type { ErrorEnvelope } from '../../src/contract/errors';
import type { eventTypeSchema } from '../../src/events/contract';
import type { createdKeySchema, KeyView } from '../../src/projects/contract';
import type { OwnProjectChanges, ProjectView, UsageView } from '../../src/projects/contract';
import type { SessionRecord } from '../../src/login/contract';
import type { subscriberChangesSchema, subscriberSchema } from '../../src/subscribers/contract';
import type {
  createdEndpointSchema,
  endpointChangesSchema,
  EndpointView,
  newEndpointSchema,
  rotatedSecretSchema,
} from '../../src/webhooks/contract';

/** The dashboard's API client. Every type comes from the contracts. */
export type Delivery = z.infer<typeof deliveryWithAttemptsSchema>;
export type Attempt = Delivery['attempts'][number];
export type EventType = z.infer<typeof eventTypeSchema>;
export type NewEndpoint = z.input<typeof newEndpointSchema>;
export type EndpointChanges = z.input<typeof endpointChangesSchema>;
export type Subscriber = z.infer<typeof subscriberSchema>;
export type SubscriberChanges = z.input<typeof subscriberChangesSchema>;
export type Broadcast = z.infer<typeof broadcastSchema>;
export type CreatedKey = z.infer<typeof createdKeySchema>;
export type {
  DashboardSession,
  DeliveryView,
  EndpointView,
  KeyView,
  OwnProjectChanges,
  ProjectView,
  SessionRecord,
  UsageView,
};

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly docsUrl: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Called after a 401 on any request. */
let onSignedOut: (message: string) => void = () => {};
export function listenForSignOut(listener: (message: string) => void): void {
  onSignedOut = listener;
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    // Pages of other origins cannot send this header.
    headers: {
      'x-herald-dashboard': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, 'offline', 'Can’t reach Herald. Check your connection and try again.');
  });
  if (response.status === 204) return undefined as T;
  const received: unknown = await response.json().catch(() => null);
  if (response.ok) return received as T;
  const envelope = received as ErrorEnvelope | null;
  const error = new ApiError(
    response.status,
    envelope?.code ?? 'internal_error',
    envelope?.error ?? 'Herald returned an unexpected response. Try again.',
    envelope?.docs_url ?? null,
  );
  if (response.status === 401 && envelope?.code === 'unauthorized') {
    onSignedOut('You were signed out. Sign in again.');
  }
  throw error;
}

const get = <T>(path: string) => call<T>('GET', path);
const post = <T>(path: string, body: unknown = {}) => call<T>('POST', path, body);

/** Leaves out empty values, so that unset filters are not sent. */
export function query(parameters: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

export const api = {
  signIn: (apiKey: string) => post<DashboardSession>('/dashboard/session', { api_key: apiKey }),
  session: () => get<DashboardSession>('/dashboard/session'),
  signOut: () => call<void>('DELETE', '/dashboard/session'),

  project: () => get<ProjectView>('/v1/project'),
  changeProject: (changes: OwnProjectChanges) => call<ProjectView>('PATCH', '/v1/project', changes),
  usage: () => get<UsageView>('/v1/usage'),
  logins: (filter: { status: string; channel: string; cursor: string | null }) =>
    get<Page<SessionRecord>>(`/v1/auth/sessions${query({ ...filter, limit: 25 })}`),

  keys: () => get<Page<KeyView>>('/v1/keys'),
  createKey: (name: string) => post<CreatedKey>('/v1/keys', name ? { name } : {}),
  revokeKey: (id: string) => call<void>('DELETE', `/v1/keys/${id}`),

  eventTypes: () => get<Page<EventType>>('/v1/event-types'),
  endpoints: () => get<Page<EndpointView>>('/v1/webhooks'),
  endpoint: (id: string) => get<EndpointView>(`/v1/webhooks/${id}`),
  createEndpoint: (endpoint: NewEndpoint) =>
    post<z.infer<typeof createdEndpointSchema>>('/v1/webhooks', endpoint),
  changeEndpoint: (id: string, changes: EndpointChanges) =>
    call<EndpointView>('PUT', `/v1/webhooks/${id}`, changes),
  deleteEndpoint: (id: string) => call<void>('DELETE', `/v1/webhooks/${id}`),
  rotateSecret: (id: string) => post<z.infer<typeof rotatedSecretSchema>>(`/v1/webhooks/${id}/rotate-secret`),
  testEndpoint: (id: string, event: string) =>
    post<{ delivery_id: string }>(`/v1/webhooks/${id}/test`, { event }),
  recover: (id: string, since: string) =>
    post<{ recovered: number }>(`/v1/webhooks/${id}/recover`, { since }),

  deliveries: (
    endpointId: string,
    filter: { status: string; event: string; since: string; cursor: string | null },
  ) => get<Page<DeliveryView>>(`/v1/webhooks/${endpointId}/deliveries${query({ ...filter, limit: 25 })}`),
  delivery: (id: string) => get<Delivery>(`/v1/deliveries/${id}`),
  retryDelivery: (id: string) => post<DeliveryView>(`/v1/deliveries/${id}/retry`),
  cancelDelivery: (id: string) => post<DeliveryView>(`/v1/deliveries/${id}/cancel`),

  subscribers: (filter: {
    channel: string;
    active: string;
    tag: string;
    external_id: string;
    cursor: string | null;
  }) => get<Page<Subscriber>>(`/v1/subscribers${query({ ...filter, limit: 25 })}`),
  changeSubscriber: (id: string, changes: SubscriberChanges) =>
    call<Subscriber>('PATCH', `/v1/subscribers/${encodeURIComponent(id)}`, changes),
  removeSubscriber: (id: string) => call<void>('DELETE', `/v1/subscribers/${encodeURIComponent(id)}`),

  broadcasts: (cursor: string | null) => get<Page<Broadcast>>(`/v1/broadcast${query({ cursor, limit: 25 })}`),
  cancelBroadcast: (id: string) => call<unknown>('DELETE', `/v1/broadcast/${id}`),
};
