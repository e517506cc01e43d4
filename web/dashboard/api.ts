import type { z } from 'zod';
import { followedLists } from '../../src/base/contract/followed-lists';
import type {
  audienceSchema,
  BroadcastResult,
  broadcastSchema,
  JobStats,
  newBroadcastSchema,
  startedBroadcastSchema,
} from '../../src/domains/broadcasts/contract';
import type { BatchResult, BatchView } from '../../src/domains/broadcasts/batch/contract';
import type {
  newRecurringSchema,
  recurringChangesSchema,
  RecurringView,
  RunView,
} from '../../src/domains/recurring/contract';
import type {
  newScheduledSchema,
  scheduledChangesSchema,
  ScheduledView,
} from '../../src/domains/scheduled/contract';
import type {
  chainChangesSchema,
  ChainStats,
  ChainView,
  EnrolmentView,
  ListedEnrolment,
  newChainSchema,
} from '../../src/domains/drip/contract';
import type {
  newTemplateSchema,
  previewSchema,
  PreviewResult,
  ProjectTextChanges,
  ProjectTexts,
  templateDefinitionSchema,
  TemplateView,
} from '../../src/domains/templates/contract';
import type { ChannelView, MessengerView } from '../../src/domains/projects/channels/contract';
import type { AuditEntry, DashboardSession, SignInRecord } from '../../src/domains/projects/contract';
import type { DashboardLogin } from '../../src/domains/login/dashboard/contract';
import type {
  InvitationView as Invitation,
  MemberChanges,
  MemberView as Member,
  NewInvitation,
} from '../../src/domains/projects/team/contract';
import type { NotifyLevel } from '../../src/base/contract/people';
import type { Scope } from '../../src/base/contract/scopes';
import type { ErrorEnvelope } from '../../src/base/contract/errors';
import type { eventTypeSchema } from '../../src/domains/events/contract';
import type { TrackedEventView as TrackedEvent } from '../../src/domains/subscribers/tracked/contract';
import type { createdKeySchema, KeyView } from '../../src/domains/projects/contract';
import type { OwnProjectChanges, ProjectView, UsageView } from '../../src/domains/projects/contract';
import type {
  createdSessionSchema,
  LoginStats,
  SessionRecord,
  SessionStatusBody,
} from '../../src/domains/login/contract';
import type {
  ClientView,
  clientChangesSchema,
  createdClientSchema,
  newClientSchema,
  rotatedClientSchema,
} from '../../src/domains/oidc/contract';
import type {
  MessageRecord,
  messageSchema,
  messageStatsSchema,
  sendSchema,
  SendResponse,
} from '../../src/domains/messages/contract';
import { t } from './texts';
import type {
  acceptedImportSchema,
  ImportView as Import,
  LinkView,
  newLinkSchema,
  PermissionChanges,
  PermissionView,
  subscribeLinkSchema,
  subscriberChangesSchema,
  subscriberSchema,
  Tagged,
  TagView,
} from '../../src/domains/subscribers/contract';
import type {
  createdEndpointSchema,
  deliveryWithAttemptsSchema,
  DeliveryView,
  endpointChangesSchema,
  EndpointView,
  Filter,
  filterPreviewResultSchema,
  newEndpointSchema,
  rotatedSecretSchema,
  allStatsSchema,
  statsSchema,
} from '../../src/domains/webhooks/contract';

/** The dashboard's API client. Every type comes from the contracts. */
export type Delivery = z.infer<typeof deliveryWithAttemptsSchema>;
export type Attempt = Delivery['attempts'][number];
export type Stats = z.infer<typeof statsSchema>;
export type EndpointStats = z.infer<typeof allStatsSchema>['data'][number];
export type NewBroadcast = z.input<typeof newBroadcastSchema>;
export type NewMessage = z.input<typeof sendSchema>;
export type Audience = z.input<typeof audienceSchema>;
/** As given, or with null and empty lists for what a request leaves out. */
export interface AudienceView {
  tags_all?: string[] | undefined;
  tags_any?: string[] | undefined;
  exclude_tags?: string[] | undefined;
  permission?: string | null | undefined;
  channel?: string | null | undefined;
}
export type PreviewRequest = z.input<typeof previewSchema>;
export type EventType = z.infer<typeof eventTypeSchema>;
export type NewEndpoint = z.input<typeof newEndpointSchema>;
export type EndpointChanges = z.input<typeof endpointChangesSchema>;
export type Subscriber = z.infer<typeof subscriberSchema>;
export type SubscriberChanges = z.input<typeof subscriberChangesSchema>;
export type Batch = BatchView;
export type Scheduled = ScheduledView;
export type Recurring = RecurringView;
export type RecurringRun = RunView;
export type Chain = ChainView;
export type ChainStep = ChainView['steps'][number];
export type NewChain = z.input<typeof newChainSchema>;
export type ChainChanges = z.input<typeof chainChangesSchema>;
export type Enrolment = EnrolmentView;
export type { ListedEnrolment };
export type Template = TemplateView;
export type TemplateDefinition = z.input<typeof templateDefinitionSchema>;
export type NewLink = z.input<typeof newLinkSchema>;
export type LabelKind = 'tags' | 'permissions';
export type Broadcast = z.infer<typeof broadcastSchema>;
export type Message = z.infer<typeof messageSchema>;
export interface MessageFilter {
  source?: string;
  source_id?: string;
  subscriber_id?: string;
  status?: string;
  since?: string;
}
export type EndpointFilter = Filter;
export type FilterPreview = z.infer<typeof filterPreviewResultSchema>;
export type Channel = ChannelView;
export type OidcClient = ClientView;
export type NewOidcClient = z.input<typeof newClientSchema>;
export type CreatedKey = z.infer<typeof createdKeySchema>;
export type CreatedSession = z.infer<typeof createdSessionSchema>;
export type {
  AuditEntry,
  BatchResult,
  BroadcastResult,
  DashboardLogin,
  Import,
  Invitation,
  Member,
  SignInRecord,
  DashboardSession,
  DeliveryView,
  EndpointView,
  JobStats,
  KeyView,
  LinkView,
  LoginStats,
  MessageRecord,
  MessengerView,
  TrackedEvent,
  OwnProjectChanges,
  PermissionView,
  ProjectTexts,
  ProjectView,
  SessionRecord,
  TagView,
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
    /** It was to be read only: the page can try again by itself. */
    readonly isRead = false,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Called after a 401 on any request. */
let onSignedOut: () => void = () => {};
export function listenForSignOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Of this tab: another one may have switched the sign-in to another project, and then requests are refused. */
let shownProject: string | null = null;
/** For what this browser keeps about a project. */
export const currentProject = () => shownProject ?? '';
function showProject(session: DashboardSession): DashboardSession {
  shownProject = session.project_id;
  return session;
}

/** Pages of other origins cannot send this header. */
const dashboardHeaders = (path: string): Record<string, string> =>
  shownProject === null || !path.startsWith('/v1/') ? {} : { 'x-herald-project': shownProject };

/** Sends a request of the dashboard. Throws for any response that is not a success. */
async function request(
  method: string,
  path: string,
  body?: { type: string; content: string | Blob },
  { signal, key }: { signal?: AbortSignal; key?: string } = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    ...(signal ? { signal } : {}),
    headers: {
      ...dashboardHeaders(path),
      ...(body ? { 'content-type': body.type } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(body ? { body: body.content } : {}),
  }).catch(() => {
    throw new ApiError(0, 'offline', t.offline, null, method === 'GET');
  });
  if (response.ok) return response;
  const envelope = (await response.json().catch(() => null)) as ErrorEnvelope | null;
  if (response.status === 401 && envelope?.code === 'unauthorized') onSignedOut();
  throw new ApiError(
    response.status,
    envelope?.code ?? 'internal_error',
    envelope?.error ?? t.unexpectedResponse,
    envelope?.docs_url ?? null,
  );
}

/** With `key`, a request that is sent again is carried out once. */
export async function call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
  const response = await request(
    method,
    path,
    body === undefined ? undefined : { type: 'application/json', content: JSON.stringify(body) },
    key === undefined ? {} : { key },
  );
  if (response.status === 204) return undefined as T;
  return (await response.json().catch(() => {
    throw new ApiError(response.status, 'internal_error', t.unexpectedResponse);
  })) as T;
}

/** Saves a response as a file: the cookie works only with the header, so a plain link would be refused. */
export async function download(path: string, filename: string): Promise<void> {
  const response = await request('GET', path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The stream of hints that a list has changed. Not an EventSource, which cannot send the dashboard's headers. */
export async function openChanges(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const path = `/v1/webhooks/stream?changes=${followedLists.join(',')}`;
  const { body } = await request('GET', path, undefined, { signal });
  if (!body) throw new ApiError(0, 'offline', t.offline);
  return body;
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
  signIn: (apiKey: string) =>
    post<DashboardSession>('/dashboard/session', { api_key: apiKey }).then(showProject),
  session: () => get<DashboardSession>('/dashboard/session').then(showProject),
  signOut: () => call<void>('DELETE', '/dashboard/session'),
  switchProject: (projectId: string) =>
    call<DashboardSession>('PUT', '/dashboard/session', { project_id: projectId }).then(showProject),
  setOwnNotify: (notify: NotifyLevel) => call<DashboardSession>('PATCH', '/dashboard/session', { notify }),
  createProject: (project: { slug: string; name: string }) =>
    post<{ project_id: string }>('/dashboard/projects', project),
  messengers: () => get<{ data: MessengerView[] }>('/dashboard/messengers'),
  beginLogin: () => post<DashboardLogin>('/dashboard/login'),
  pollLogin: (id: string) =>
    get<{ status: 'pending' | 'confirmed' | 'declined' | 'expired' | 'consumed' }>(
      `/dashboard/login/${id}?wait=20`,
    ),
  signIns: () => get<Page<SignInRecord>>('/dashboard/sessions'),
  endSignIn: (id: string) => call<void>('DELETE', `/dashboard/sessions/${id}`),

  members: () => get<Page<Member>>('/v1/members'),
  changeMember: (id: string, changes: MemberChanges) => call<Member>('PATCH', `/v1/members/${id}`, changes),
  removeMember: (id: string) => call<void>('DELETE', `/v1/members/${id}`),
  invitations: () => get<Page<Invitation>>('/v1/invitations'),
  invite: (invitation: NewInvitation) => post<Invitation>('/v1/invitations', invitation),
  withdrawInvitation: (id: string) => call<void>('DELETE', `/v1/invitations/${id}`),
  audit: (filter: { actor: string; action: string; cursor: string | null }) =>
    get<Page<AuditEntry>>(`/v1/audit${query({ ...filter, limit: 25 })}`),

  project: () => get<ProjectView>('/v1/project'),
  changeProject: (changes: OwnProjectChanges) => call<ProjectView>('PATCH', '/v1/project', changes),
  uploadLogo: async (file: File) =>
    (await (
      await request('PUT', '/v1/project/logo', { type: file.type, content: file })
    ).json()) as ProjectView,
  usage: () => get<UsageView>('/v1/usage'),
  logins: (filter: { status?: string; channel?: string; subscriber_id?: string; cursor: string | null }) =>
    get<Page<SessionRecord>>(`/v1/auth/sessions${query({ ...filter, limit: 25 })}`),

  createSession: () => post<CreatedSession>('/v1/auth/session', { state: 'first-steps' }),
  sessionStatus: (id: string) => get<SessionStatusBody>(`/v1/auth/session/${id}/status?wait=20`),
  cancelSession: (id: string) => call<unknown>('DELETE', `/v1/auth/session/${id}`),
  verifyLogin: (code: string) => post<{ first_name: string }>('/v1/auth/verify', { code }),
  login: (id: string) => get<SessionRecord>(`/v1/auth/sessions/${id}`),
  loginStats: (days: number) => get<LoginStats>(`/v1/auth/stats?days=${days}`),
  projectTexts: () => get<ProjectTexts>('/v1/project/texts'),
  changeProjectTexts: (texts: ProjectTextChanges) => call<ProjectTexts>('PUT', '/v1/project/texts', texts),

  keys: () => get<Page<KeyView>>('/v1/keys'),
  createKey: (name: string, scopes?: Scope[]) =>
    post<CreatedKey>('/v1/keys', { ...(name ? { name } : {}), ...(scopes ? { scopes } : {}) }),
  revokeKey: (id: string) => call<void>('DELETE', `/v1/keys/${id}`),

  channels: () => get<{ data: Channel[] }>('/v1/channels'),
  connectBot: (channel: Channel['channel'], token: string) =>
    call<Channel>('PUT', `/v1/channels/${channel}`, { token }),
  removeBot: (channel: Channel['channel']) => call<void>('DELETE', `/v1/channels/${channel}`),

  oidcClients: () => get<Page<OidcClient>>('/v1/oidc/clients'),
  createOidcClient: (client: NewOidcClient) =>
    post<z.infer<typeof createdClientSchema>>('/v1/oidc/clients', client),
  changeOidcClient: (id: string, changes: z.input<typeof clientChangesSchema>) =>
    call<OidcClient>('PATCH', `/v1/oidc/clients/${id}`, changes),
  deleteOidcClient: (id: string) => call<void>('DELETE', `/v1/oidc/clients/${id}`),
  rotateOidcSecret: (id: string) =>
    post<z.infer<typeof rotatedClientSchema>>(`/v1/oidc/clients/${id}/rotate-secret`),

  eventTypes: () => get<Page<EventType>>('/v1/event-types'),
  endpoints: () => get<Page<EndpointView>>('/v1/webhooks'),
  stats: (id: string, hours = 24) => get<Stats>(`/v1/webhooks/${id}/stats?hours=${hours}`),
  allStats: () => get<z.infer<typeof allStatsSchema>>('/v1/webhooks/stats'),
  endpoint: (id: string) => get<EndpointView>(`/v1/webhooks/${id}`),
  createEndpoint: (endpoint: NewEndpoint) =>
    post<z.infer<typeof createdEndpointSchema>>('/v1/webhooks', endpoint),
  changeEndpoint: (id: string, changes: EndpointChanges) =>
    call<EndpointView>('PUT', `/v1/webhooks/${id}`, changes),
  deleteEndpoint: (id: string) => call<void>('DELETE', `/v1/webhooks/${id}`),
  rotateSecret: (id: string) => post<z.infer<typeof rotatedSecretSchema>>(`/v1/webhooks/${id}/rotate-secret`),
  testEndpoint: (id: string, event: string) =>
    post<{ delivery_id: string }>(`/v1/webhooks/${id}/test`, { event }),
  previewFilter: (events: string[], filter: EndpointFilter) =>
    post<FilterPreview>('/v1/webhooks/filter-preview', { events, filter }),
  recover: (id: string, since: string) =>
    post<{ recovered: number }>(`/v1/webhooks/${id}/recover`, { since }),

  deliveries: (
    endpointId: string,
    filter: { status: string; event: string; since: string; cursor: string | null },
  ) => get<Page<DeliveryView>>(`/v1/webhooks/${endpointId}/deliveries${query({ ...filter, limit: 25 })}`),
  allDeliveries: (filter: {
    status: string;
    event: string;
    endpoint_id: string;
    since: string;
    q: string;
    cursor: string | null;
  }) => get<Page<DeliveryView>>(`/v1/deliveries${query({ ...filter, limit: 25 })}`),
  /** The newest hundred, whatever became of them. */
  recentDeliveries: () => get<Page<DeliveryView>>('/v1/deliveries?limit=100'),
  retryDeliveries: (ids: string[]) =>
    post<{ retried: number; failed: { id: string; code: string }[] }>('/v1/deliveries/retry', { ids }),
  delivery: (id: string) => get<Delivery>(`/v1/deliveries/${id}`),
  retryDelivery: (id: string) => post<DeliveryView>(`/v1/deliveries/${id}/retry`),
  cancelDelivery: (id: string) => post<DeliveryView>(`/v1/deliveries/${id}/cancel`),

  subscribers: (filter: { channel: string; active: string; tag: string; q: string; cursor: string | null }) =>
    get<Page<Subscriber>>(`/v1/subscribers${query({ ...filter, limit: 25 })}`),
  /** At most a hundred, as a page has. */
  subscribersById: (ids: string[]) =>
    get<Page<Subscriber>>(`/v1/subscribers${query({ ids: ids.join(), limit: 100 })}`),
  tagSubscribers: (ids: string[], tags: { add?: string[]; remove?: string[] }) =>
    post<Tagged>('/v1/subscribers/tags', { ids, ...tags }),
  subscriber: (id: string) => get<Subscriber>(`/v1/subscribers/${encodeURIComponent(id)}`),
  subscribeLinks: () => get<z.infer<typeof subscribeLinkSchema>>('/v1/subscribe-link'),
  links: (cursor: string | null) => get<Page<LinkView>>(`/v1/subscribe-links${query({ cursor, limit: 25 })}`),
  createLink: (link: NewLink) => post<LinkView>('/v1/subscribe-links', link),
  deleteLink: (id: string) => call<void>('DELETE', `/v1/subscribe-links/${id}`),
  labels: (kind: LabelKind) => get<Page<TagView & Partial<PermissionView>>>(`/v1/${kind}`),
  createLabel: (kind: LabelKind, name: string) => post<TagView>(`/v1/${kind}`, { name }),
  changeLabel: (kind: LabelKind, name: string, changes: PermissionChanges) =>
    call<TagView>('PATCH', `/v1/${kind}/${encodeURIComponent(name)}`, changes),
  deleteLabel: (kind: LabelKind, name: string) =>
    call<void>('DELETE', `/v1/${kind}/${encodeURIComponent(name)}`),
  changeSubscriber: (id: string, changes: SubscriberChanges) =>
    call<Subscriber>('PATCH', `/v1/subscribers/${encodeURIComponent(id)}`, changes),
  removeSubscriber: (id: string) => call<void>('DELETE', `/v1/subscribers/${encodeURIComponent(id)}`),
  importSubscribers: async (file: Blob, dryRun: boolean) => {
    const path = `/v1/import/subscribers?dry_run=${dryRun}`;
    const response = await request('POST', path, { type: 'text/csv', content: file });
    return (await response.json()) as z.infer<typeof acceptedImportSchema>;
  },
  import: (id: string) => get<Import>(`/v1/import/${id}`),
  cancelImport: (id: string) => call<Import>('DELETE', `/v1/import/${id}`),

  messages: (subscriberId: string, cursor: string | null) =>
    get<Page<MessageRecord>>(`/v1/messages${query({ subscriber_id: subscriberId, cursor, limit: 25 })}`),
  messageLog: (filter: MessageFilter & { cursor: string | null }) =>
    get<Page<MessageRecord>>(`/v1/messages${query({ ...filter, limit: 25 })}`),
  message: (id: string) => get<Message>(`/v1/messages/${id}`),
  messageStats: () => get<z.infer<typeof messageStatsSchema>>('/v1/messages/stats'),
  send: (message: NewMessage) => post<SendResponse>('/v1/send', message),

  broadcast: (broadcast: NewBroadcast) =>
    post<z.infer<typeof startedBroadcastSchema>>('/v1/broadcast', broadcast),
  broadcasts: (cursor: string | null) => get<Page<Broadcast>>(`/v1/broadcast${query({ cursor, limit: 25 })}`),
  broadcastJob: (id: string) => get<Broadcast>(`/v1/broadcast/${id}`),
  broadcastStats: (id: string) => get<JobStats>(`/v1/broadcast/${id}/stats`),
  broadcastResults: (id: string, filter: { status: string; cursor: string | null }) =>
    get<Page<BroadcastResult>>(`/v1/broadcast/${id}/results${query({ ...filter, limit: 25 })}`),
  retryBroadcast: (id: string) => post<{ job_id: string }>(`/v1/broadcast/${id}/retry`),
  cancelBroadcast: (id: string) => call<unknown>('DELETE', `/v1/broadcast/${id}`),

  batches: (cursor: string | null) => get<Page<Batch>>(`/v1/send/batch${query({ cursor, limit: 25 })}`),
  batch: (id: string) => get<Batch>(`/v1/send/batch/${id}`),
  batchStats: (id: string) => get<JobStats>(`/v1/send/batch/${id}/stats`),
  batchResults: (id: string, filter: { status: string; cursor: string | null }) =>
    get<Page<BatchResult>>(`/v1/send/batch/${id}/results${query({ ...filter, limit: 25 })}`),
  cancelBatch: (id: string) => call<unknown>('DELETE', `/v1/send/batch/${id}`),

  scheduled: (filter: { status: string; cursor: string | null }) =>
    get<Page<Scheduled>>(`/v1/scheduled${query({ ...filter, limit: 25 })}`),
  schedule: (entry: z.input<typeof newScheduledSchema>) => post<Scheduled>('/v1/scheduled', entry),
  scheduledMessage: (id: string) => get<Scheduled>(`/v1/scheduled/${id}`),
  changeScheduled: (id: string, changes: z.input<typeof scheduledChangesSchema>) =>
    call<Scheduled>('PATCH', `/v1/scheduled/${id}`, changes),
  cancelScheduled: (id: string) => call<unknown>('DELETE', `/v1/scheduled/${id}`),

  recurring: (cursor: string | null) => get<Page<Recurring>>(`/v1/recurring${query({ cursor, limit: 25 })}`),
  recurringMessage: (id: string) => get<Recurring>(`/v1/recurring/${id}`),
  recurringRuns: (id: string, cursor: string | null) =>
    get<Page<RecurringRun>>(`/v1/recurring/${id}/runs${query({ cursor, limit: 25 })}`),
  createRecurring: (entry: z.input<typeof newRecurringSchema>) => post<Recurring>('/v1/recurring', entry),
  changeRecurring: (id: string, changes: z.input<typeof recurringChangesSchema>) =>
    call<Recurring>('PATCH', `/v1/recurring/${id}`, changes),
  runRecurring: (id: string) => post<{ run_id: string }>(`/v1/recurring/${id}/run`),
  skipRecurring: (id: string) => post<Recurring>(`/v1/recurring/${id}/skip`),
  removeRecurring: (id: string) => call<void>('DELETE', `/v1/recurring/${id}`),

  chains: (cursor: string | null) => get<Page<Chain>>(`/v1/drip-chains${query({ cursor, limit: 25 })}`),
  chain: (id: string) => get<Chain>(`/v1/drip-chains/${id}`),
  chainStats: (id: string) => get<ChainStats>(`/v1/drip-chains/${id}/stats`),
  createChain: (chain: NewChain) => post<Chain>('/v1/drip-chains', chain),
  changeChain: (id: string, changes: ChainChanges) => call<Chain>('PATCH', `/v1/drip-chains/${id}`, changes),
  removeChain: (id: string) => call<void>('DELETE', `/v1/drip-chains/${id}`),
  enrolments: (id: string, filter: { status: string; cursor: string | null }) =>
    get<Page<ListedEnrolment>>(`/v1/drip-chains/${id}/enrolments${query({ ...filter, limit: 25 })}`),
  enrol: (id: string, subscriberId: string) =>
    post<{ data: Enrolment[] }>(`/v1/drip-chains/${id}/enrolments`, { subscriber_id: subscriberId }),
  cancelEnrolment: (id: string, enrolment: string) =>
    call<Enrolment>('DELETE', `/v1/drip-chains/${id}/enrolments/${enrolment}`),

  trackedEvents: (filter: { name?: string; subscriber_id?: string; since?: string; cursor: string | null }) =>
    get<Page<TrackedEvent>>(`/v1/events${query({ ...filter, limit: 25 })}`),

  templates: (cursor: string | null) => get<Page<Template>>(`/v1/templates${query({ cursor, limit: 25 })}`),
  messageTemplates: () => get<Page<Template>>('/v1/templates?purpose=message&limit=100'),
  allTemplates: () => get<Page<Template>>('/v1/templates?limit=100'),
  template: (key: string) => get<Template>(`/v1/templates/${encodeURIComponent(key)}`),
  createTemplate: (template: z.input<typeof newTemplateSchema>) => post<Template>('/v1/templates', template),
  replaceTemplate: (key: string, definition: TemplateDefinition) =>
    call<Template>('PUT', `/v1/templates/${encodeURIComponent(key)}`, definition),
  removeTemplate: (key: string) => call<void>('DELETE', `/v1/templates/${encodeURIComponent(key)}`),
  previewTemplate: (request: PreviewRequest) => post<PreviewResult>('/v1/templates/preview', request),
};
