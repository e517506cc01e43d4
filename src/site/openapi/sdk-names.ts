import type { RouteSpec } from '../../base/http/route';

/** Where the SDKs have a route: `herald.webhooks.rotateSecret(…)` is { group: 'webhooks', name: 'rotateSecret' }. */
export interface SdkName {
  group: string;
  name: string;
}

type Named = Pick<RouteSpec, 'method' | 'path' | 'response'>;

/** Names that the rule below would make less clear. Routes that are missing here are named by the rule. */
const chosen: Readonly<Record<string, string>> = {
  'GET /v1/auth/link': 'auth.getLinks',
  'POST /v1/auth/session': 'auth.createSession',
  'DELETE /v1/auth/session/{id}': 'auth.cancelSession',
  'DELETE /v1/auth/requests/{id}': 'auth.cancelRequest',
  'POST /v1/oidc/clients/{client_id}/rotate-secret': 'oidc.rotateClientSecret',
  'GET /v1/subscribe-link': 'subscribeLinks.getDefault',
  'POST /v1/import/subscribers': 'imports.createSubscribers',
  'POST /v1/send': 'messages.send',
  'DELETE /v1/send/batch/{batch_id}': 'batches.cancel',
  'DELETE /v1/broadcast/{job_id}': 'broadcasts.cancel',
  'DELETE /v1/scheduled/{id}': 'scheduled.cancel',
  'PUT /v1/templates/{key}': 'templates.replace',
  'POST /v1/subscribers/tags': 'subscribers.tagMany',
  'POST /v1/deliveries/retry': 'deliveries.retryMany',
  'PUT /v1/forms/{form_id}': 'forms.replace',
  'GET /f/{form_id}': 'forms.getPublic',
  'POST /f/{form_id}': 'forms.submit',
  'POST /v1/publish': 'events.publish',
  'POST /v1/events': 'events.track',
  'GET /v1/webhooks/stream': 'webhooks.stream',
  'GET /v1/webhooks/stats': 'webhooks.allStats',
  'POST /v1/webhooks/test': 'webhooks.trigger',
  'POST /v1/webhooks/filter-preview': 'webhooks.previewFilter',
  'GET /v1/helpdesk/link': 'helpdesk.getLinks',
  'POST /v1/helpdesk/tickets': 'tickets.create',
  'GET /v1/helpdesk/tickets': 'tickets.list',
  'GET /v1/helpdesk/counts': 'tickets.count',
  'POST /v1/helpdesk/tickets/bulk': 'tickets.updateMany',
  'GET /v1/helpdesk/tickets/{id}': 'tickets.get',
  'PATCH /v1/helpdesk/tickets/{id}': 'tickets.update',
  'GET /v1/helpdesk/tickets/{id}/messages': 'tickets.listMessages',
  'POST /v1/helpdesk/tickets/{id}/messages': 'tickets.reply',
  'GET /v1/helpdesk/tickets/{id}/attachments/{attachment_id}': 'tickets.getAttachment',
  'GET /v1/usage': 'project.getUsage',
  'GET /v1/audit': 'audit.list',
  'PUT /v1/channels/{channel}': 'channels.connect',
  'DELETE /v1/channels/{channel}': 'channels.disconnect',
  'DELETE /v1/keys/{id}': 'keys.revoke',
  'POST /dashboard/session': 'dashboard.signIn',
  'PUT /dashboard/session': 'dashboard.switchProject',
  'DELETE /dashboard/session': 'dashboard.signOut',
  'POST /dashboard/projects': 'dashboard.createProject',
  'POST /dashboard/login': 'dashboard.beginLogin',
  'GET /healthz': 'health.live',
  'GET /readyz': 'health.ready',
};

/** Resources whose path is no good name for a group. */
const groups: Readonly<Record<string, string>> = {
  'send/batch': 'batches',
  broadcast: 'broadcasts',
  export: 'exports',
  import: 'imports',
  login: 'hostedLogin',
  mini: 'miniApp',
};

/** The name of every route, by method and path. The generator of the SDKs refuses routes that share one. */
export function sdkNames(routes: Named[]): Map<string, SdkName> {
  return new Map(
    routes.map((route) => {
      const [group = '', name = ''] = (chosen[routeKey(route)] ?? derivedName(route, routes)).split('.');
      return [routeKey(route), { group, name }];
    }),
  );
}

export function routeKey({ method, path }: Pick<RouteSpec, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The verb of the method and what follows the group in the path: GET /v1/webhooks/{id}/stats is webhooks.getStats. */
function derivedName(route: Named, routes: Named[]): string {
  const path = route.path.replace(/^\/(v1\/)?/, '');
  const prefix = Object.keys(groups).find((each) => path === each || path.startsWith(`${each}/`));
  const resource = prefix ?? path.split('/')[0] ?? '';
  const group = groups[resource] ?? camelCase(resource.split(/[-/]/));
  const rest = path.slice(resource.length).split('/').filter(Boolean);
  const words = rest.flatMap((segment, index) => {
    if (isParameter(segment)) return [];
    const ofOne =
      isParameter(rest[index + 1] ?? '') || (route.method === 'POST' && isCollection(route, routes));
    return (ofOne ? singular(segment) : segment).split('-');
  });
  const isAction = route.method === 'POST' && words.length > 0 && !isCollection(route, routes);
  return `${group}.${camelCase(isAction ? words : [verbOf(route), ...words])}`;
}

function verbOf({ method, response }: Named): string {
  if (method === 'GET') return isList(response) ? 'list' : 'get';
  return { POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' }[method];
}

/** Whether a response is a page of a list: an object with `data`. */
function isList(response: RouteSpec['response']): boolean {
  const shape = (response as { shape?: Record<string, unknown> } | undefined)?.shape;
  return shape?.['data'] !== undefined;
}

/** Whether the route's path has members: /v1/oidc/clients has /v1/oidc/clients/{client_id}. */
function isCollection({ path }: Named, routes: Named[]): boolean {
  return routes.some((other) => other.path.startsWith(`${path}/{`));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function camelCase(words: string[]): string {
  return words.map((word, at) => (at === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
}
