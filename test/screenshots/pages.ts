import type { Demo } from './demo-data';

/** Pages of the dashboard that exist in every project. A page of another part is added here. */
const lists = {
  overview: '/dashboard',
  webhooks: '/dashboard/webhooks',
  deliveries: '/dashboard/deliveries',
  logins: '/dashboard/logins',
  subscribers: '/dashboard/subscribers',
  inbox: '/dashboard/inbox',
  events: '/dashboard/events',
  links: '/dashboard/links',
  labels: '/dashboard/labels',
  broadcasts: '/dashboard/broadcasts',
  scheduled: '/dashboard/scheduled',
  recurring: '/dashboard/recurring',
  batches: '/dashboard/batches',
  messages: '/dashboard/messages',
  drip: '/dashboard/drip',
  templates: '/dashboard/templates',
  forms: '/dashboard/forms',
  oidc: '/dashboard/oidc',
  channels: '/dashboard/channels',
  keys: '/dashboard/keys',
  team: '/dashboard/team',
  audit: '/dashboard/audit',
  settings: '/dashboard/settings',
  'settings-usage': '/dashboard/settings/usage',
};

/** Beside them, pages of one thing, and forms that make one. */
const single = (demo: Demo): Record<string, string> => ({
  endpoint: `/dashboard/webhooks/${demo.endpointId}`,
  'endpoint-failing': `/dashboard/webhooks/${demo.failingEndpointId}`,
  delivery: `/dashboard/deliveries/${demo.deliveryId}`,
  'login-session': `/dashboard/logins/${demo.sessionId}`,
  subscriber: `/dashboard/subscribers/${demo.subscriberId}`,
  import: '/dashboard/subscribers/import',
  ticket: `/dashboard/inbox/${demo.ticketId}`,
  'inbox-settings': '/dashboard/inbox/settings',
  broadcast: `/dashboard/broadcasts/${demo.jobId}`,
  'broadcast-new': '/dashboard/broadcasts/new',
  'scheduled-new': '/dashboard/scheduled/new',
  'recurring-one': `/dashboard/recurring/${demo.recurringId}`,
  'recurring-new': '/dashboard/recurring/new',
  batch: `/dashboard/batches/${demo.batchId}`,
  message: `/dashboard/messages/${demo.messageId}`,
  'drip-chain': `/dashboard/drip/${demo.chainId}`,
  'drip-edit': `/dashboard/drip/${demo.chainId}/edit`,
  'drip-new': '/dashboard/drip/new',
  template: `/dashboard/templates/${demo.templateKey}`,
  'template-new': '/dashboard/templates/new',
  form: `/dashboard/forms/${demo.formId}`,
  'form-share': `/dashboard/forms/${demo.formId}/share`,
  'form-edit': `/dashboard/forms/${demo.formId}/edit`,
  'form-new': '/dashboard/forms/new',
  account: '/dashboard/account',
  'settings-login-page': '/dashboard/settings/login-page',
  'settings-defaults': '/dashboard/settings/defaults',
});

const named = (pages: Record<string, string>, suffix: string) =>
  Object.fromEntries(Object.entries(pages).map(([name, path]) => [`${name}-${suffix}`, path]));

export const dashboardPages = {
  full: (demo: Demo) => ({ ...lists, ...single(demo) }),
  empty: named(lists, 'empty'),
  crowded: named(lists, 'crowded'),
  viewer: (demo: Demo) => named({ ...lists, ...single(demo) }, 'viewer'),
  support: (demo: Demo) => named({ ...lists, ...single(demo) }, 'support'),
};
