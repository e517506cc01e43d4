import { randomUUID } from 'node:crypto';
import { eventRegistry } from '../../../src/domains/events/contract';
import { auditActionOf } from '../../../src/base/http/audit-action';
import type { RouteSpec } from '../../../src/base/http/route';
import { createRoutes } from '../../../src/process/roles/api';
import type { ApiResponse } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { png } from '../../support/png';
import { eventually } from '../../support/eventually';
import { attachFile } from '../helpdesk/fixture';
import { confirmedSession, createSession } from '../login/fixture';
import { addCrowd, freshName, subscribePerson, textsTo, type Person } from '../messages/fixture';
import { createTeam, type Team } from '../team/fixture';
import { createEndpoint } from '../webhooks/fixture';
import { expectError } from './fixture';
import { ownPage } from '../../support/own-page';

/** What a project has: something for each id that a route takes. */
interface Things {
  ticketType: string;
  ticket: string;
  attachment: string;
  project: TestProject;
  person: Person;
  session: string;
  request: string;
  link: string;
  label: string;
  hosted: { token: string; cookie: string };
  code: string;
  endpoint: string;
  delivery: string;
  broadcast: string;
  import: string;
  message: string;
  template: string;
  batch: string;
  scheduled: string;
  recurring: string;
  chain: string;
  enrolment: string;
  form: string;
  submission: string;
  key: string;
  publisher: string;
  team: Team;
  oidcClient: string;
}

interface Call {
  /** For each parameter of the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Default: the project's. */
  key?: string;
}

const weekly = { name: 'Weekly', content: { text: 'hello' }, audience: {}, cron: '0 9 * * MON' };
const chain = {
  name: 'Chain',
  trigger: { type: 'manual' },
  steps: [{ id: 'wait', type: 'delay', minutes: 60 }],
  reentry: 'again',
  status: 'active',
};
const form = {
  name: 'Form',
  fields: [{ key: 'size', type: 'text', label_en: 'Size' }],
  allowed_origins: ['*'],
};
const laterMessage = () => ({
  content: { text: 'hello' },
  external_id: 'nobody',
  scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
});

/** A request to every route that succeeds, in an order in which nothing is removed before it is needed. */
const calls: Record<string, (things: Things) => Call | Promise<Call>> = {
  'GET /healthz': () => ({}),
  'GET /readyz': () => ({}),
  'GET /v1/project': () => ({}),
  'PATCH /v1/project': () => ({ body: { name: 'Renamed' } }),
  'GET /v1/project/texts': () => ({}),
  'PUT /v1/project/texts': () => ({ body: { help: { en: 'Ask {{project}}.' } } }),
  'PUT /v1/project/logo': () => ({
    body: png(2, 2, () => [0, 0, 0, 255]),
    headers: { 'content-type': 'image/png' },
  }),
  'GET /v1/usage': () => ({}),
  'GET /v1/event-types': () => ({}),
  'GET /v1/webhooks/stream': () => ({}),
  'GET /v1/auth/link': () => ({}),
  'POST /v1/auth/session': () => ({ body: { state: 'state' } }),
  'GET /v1/auth/sessions': () => ({}),
  'GET /v1/auth/sessions/{id}': ({ session }) => ({ params: { id: session } }),
  'GET /v1/auth/stats': () => ({}),
  'GET /v1/auth/session/{id}/status': ({ session }) => ({ params: { id: session } }),
  'GET /v1/auth/session/{id}/qr': ({ session }) => ({ params: { id: session } }),
  'POST /v1/auth/requests': ({ person }) => ({
    body: { subscriber_id: person.subscriberId, message: 'Approve?' },
  }),
  'GET /v1/auth/requests/{id}': ({ request }) => ({ params: { id: request } }),
  'DELETE /v1/auth/requests/{id}': ({ request }) => ({ params: { id: request } }),
  'GET /login/{token}/qr': ({ hosted }) => ({ params: { token: hosted.token } }),
  'GET /login/{token}/status': ({ hosted: { token, cookie } }) => ({
    params: { token },
    headers: { cookie },
  }),
  'POST /v1/auth/verify': ({ code }) => ({ body: { code } }),
  'GET /v1/export/subscribers': () => ({}),
  'POST /v1/import/subscribers': () => ({ body: 'external_id\n', headers: { 'content-type': 'text/csv' } }),
  'GET /v1/import/{id}': ({ import: id }) => ({ params: { id } }),
  'DELETE /v1/import/{id}': ({ import: id }) => ({ params: { id } }),
  'GET /v1/export/deliveries': () => ({}),
  'GET /v1/export/logins': () => ({}),
  'GET /v1/subscribe-link': () => ({}),
  'POST /v1/subscribe-links': () => ({ body: { name: 'Till', tags: ['vip'] } }),
  'GET /v1/subscribe-links': () => ({}),
  'GET /v1/subscribe-links/{link_id}': ({ link }) => ({ params: { link_id: link } }),
  'DELETE /v1/subscribe-links/{link_id}': ({ link }) => ({ params: { link_id: link } }),
  'POST /v1/tags': () => ({ body: { name: 'gold' } }),
  'GET /v1/tags': () => ({}),
  'PATCH /v1/tags/{name}': ({ label }) => ({ params: { name: label }, body: {} }),
  'DELETE /v1/tags/{name}': ({ label }) => ({ params: { name: label } }),
  'POST /v1/permissions': () => ({ body: { name: 'news', title_en: 'News' } }),
  'GET /v1/permissions': () => ({}),
  'PATCH /v1/permissions/{name}': ({ label }) => ({ params: { name: label }, body: { default: true } }),
  'DELETE /v1/permissions/{name}': ({ label }) => ({ params: { name: label } }),
  'GET /mini/project': ({ project }) => ({ query: { start: `proj_${project.slug}` } }),
  'POST /mini/subscribe': async ({ project }) => {
    const { name } = await subscribePerson(service, await service.createProject());
    const { init_data } = await service.control.miniApp('telegram', name, `proj_${project.slug}`);
    return { body: { channel: 'telegram', init_data } };
  },
  'GET /v1/subscribers': () => ({}),
  'GET /v1/subscribers/{id}': ({ person }) => ({ params: { id: person.subscriberId } }),
  'GET /v1/subscribers/{id}/data': ({ person }) => ({ params: { id: person.subscriberId } }),
  'PATCH /v1/subscribers/{id}': ({ person }) => ({
    params: { id: person.subscriberId },
    body: { tags: ['new'] },
  }),
  'POST /v1/subscribers/tags': ({ person }) => ({ body: { ids: [person.subscriberId], add: ['new'] } }),
  'POST /v1/send': ({ person }) => ({ body: { subscriber_id: person.subscriberId, text: 'hello' } }),
  'GET /v1/messages': ({ person }) => ({ query: { subscriber_id: person.subscriberId } }),
  'GET /v1/messages/stats': () => ({}),
  'GET /v1/messages/{delivery_id}': ({ message }) => ({ params: { delivery_id: message } }),
  'POST /v1/otp/send': ({ person }) => ({ body: { subscriber_id: person.subscriberId } }),
  'POST /v1/otp/verify': async ({ person }) => ({
    body: {
      subscriber_id: person.subscriberId,
      code: (await textsTo(service, person)).join().match(/\d{6}/)?.[0],
    },
  }),
  'POST /v1/broadcast': () => ({ body: { text: 'hello' } }),
  'GET /v1/broadcast': () => ({}),
  'GET /v1/broadcast/{job_id}': ({ broadcast }) => ({ params: { job_id: broadcast } }),
  'GET /v1/broadcast/{job_id}/results': ({ broadcast }) => ({ params: { job_id: broadcast } }),
  'GET /v1/broadcast/{job_id}/stats': ({ broadcast }) => ({ params: { job_id: broadcast } }),
  'POST /v1/broadcast/{job_id}/retry': async (things) => ({
    params: { job_id: await failedBroadcast(things) },
  }),
  'DELETE /v1/broadcast/{job_id}': ({ broadcast }) => ({ params: { job_id: broadcast } }),
  'POST /v1/templates': () => ({
    body: { key: freshName(), variants: { en: { text: 'Hi {{first_name}}' } } },
  }),
  'GET /v1/templates': () => ({}),
  'GET /v1/templates/{key}': ({ template }) => ({ params: { key: template } }),
  'PUT /v1/templates/{key}': ({ template }) => ({
    params: { key: template },
    body: { variants: { en: { text: 'new' } } },
  }),
  'POST /v1/templates/preview': ({ template, person }) => ({
    body: { key: template, subscriber_id: person.subscriberId },
  }),
  'DELETE /v1/templates/{key}': ({ template }) => ({ params: { key: template } }),
  'POST /v1/send/batch': () => ({ body: { messages: [{ external_id: 'nobody', text: 'hello' }] } }),
  'GET /v1/send/batch': () => ({}),
  'GET /v1/send/batch/{batch_id}': ({ batch }) => ({ params: { batch_id: batch } }),
  'GET /v1/send/batch/{batch_id}/results': ({ batch }) => ({ params: { batch_id: batch } }),
  'GET /v1/send/batch/{batch_id}/stats': ({ batch }) => ({ params: { batch_id: batch } }),
  'DELETE /v1/send/batch/{batch_id}': ({ batch }) => ({ params: { batch_id: batch } }),
  'POST /v1/scheduled': () => ({ body: laterMessage() }),
  'GET /v1/scheduled': () => ({}),
  'GET /v1/scheduled/{id}': ({ scheduled }) => ({ params: { id: scheduled } }),
  'PATCH /v1/scheduled/{id}': ({ scheduled }) => ({ params: { id: scheduled }, body: { name: 'new' } }),
  'DELETE /v1/scheduled/{id}': ({ scheduled }) => ({ params: { id: scheduled } }),
  'POST /v1/recurring': () => ({ body: weekly }),
  'GET /v1/recurring': () => ({}),
  'GET /v1/recurring/{id}': ({ recurring }) => ({ params: { id: recurring } }),
  'PATCH /v1/recurring/{id}': ({ recurring }) => ({ params: { id: recurring }, body: { name: 'new' } }),
  'POST /v1/recurring/{id}/skip': ({ recurring }) => ({ params: { id: recurring } }),
  'POST /v1/recurring/{id}/run': ({ recurring }) => ({ params: { id: recurring } }),
  'GET /v1/recurring/{id}/runs': ({ recurring }) => ({ params: { id: recurring } }),
  'DELETE /v1/recurring/{id}': ({ recurring }) => ({ params: { id: recurring } }),
  'POST /v1/forms': () => ({ body: form }),
  'GET /v1/forms': () => ({}),
  'GET /v1/forms/stats': () => ({}),
  'GET /v1/forms/{form_id}': ({ form: form_id }) => ({ params: { form_id } }),
  'PUT /v1/forms/{form_id}': ({ form: form_id }) => ({ params: { form_id }, body: form }),
  'GET /v1/forms/{form_id}/link': ({ form: form_id, person }) => ({
    params: { form_id },
    query: { subscriber_id: person.subscriberId },
  }),
  'GET /v1/forms/{form_id}/submissions': ({ form: form_id }) => ({ params: { form_id } }),
  'GET /f/{form_id}': ({ form: form_id }) => ({ params: { form_id } }),
  'POST /f/{form_id}': ({ form: form_id }) => ({ params: { form_id }, body: { size: 'M' } }),
  'GET /v1/submissions/{id}': ({ submission: id }) => ({ params: { id } }),
  'PATCH /v1/submissions/{id}': ({ submission: id }) => ({ params: { id }, body: { status: 'spam' } }),
  'DELETE /v1/submissions/{id}': ({ submission: id }) => ({ params: { id } }),
  'GET /v1/export/submissions': () => ({}),
  'DELETE /v1/forms/{form_id}': ({ form: form_id }) => ({ params: { form_id } }),
  'POST /v1/drip-chains': () => ({ body: chain }),
  'GET /v1/drip-chains': () => ({}),
  'GET /v1/drip-chains/{drip_id}': ({ chain: drip_id }) => ({ params: { drip_id } }),
  'PATCH /v1/drip-chains/{drip_id}': ({ chain: drip_id }) => ({ params: { drip_id }, body: { name: 'new' } }),
  'GET /v1/drip-chains/{drip_id}/stats': ({ chain: drip_id }) => ({ params: { drip_id } }),
  'GET /v1/drip-chains/{drip_id}/enrolments': ({ chain: drip_id }) => ({ params: { drip_id } }),
  'DELETE /v1/drip-chains/{drip_id}/enrolments/{id}': ({ chain: drip_id, enrolment: id }) => ({
    params: { drip_id, id },
  }),
  'POST /v1/drip-chains/{drip_id}/enrolments': ({ chain: drip_id, person }) => ({
    params: { drip_id },
    body: { subscriber_id: person.subscriberId },
  }),
  'DELETE /v1/drip-chains/{drip_id}': ({ chain: drip_id }) => ({ params: { drip_id } }),
  'GET /v1/helpdesk': () => ({}),
  'PATCH /v1/helpdesk': () => ({ body: { csat: false } }),
  'GET /v1/helpdesk/link': () => ({}),
  'GET /v1/helpdesk/agents': () => ({}),
  'GET /v1/helpdesk/types': () => ({}),
  'POST /v1/helpdesk/types': () => ({ body: { name_en: 'Return', name_ru: 'Возврат' } }),
  'PATCH /v1/helpdesk/types/{id}': ({ ticketType: id }) => ({ params: { id }, body: { priority: 'high' } }),
  'DELETE /v1/helpdesk/types/{id}': ({ ticketType: id }) => ({ params: { id } }),
  'POST /v1/helpdesk/tickets': ({ person }) => ({
    body: { subscriber_id: person.subscriberId, text: 'Hello' },
  }),
  'GET /v1/helpdesk/tickets': () => ({}),
  'GET /v1/helpdesk/counts': () => ({}),
  'POST /v1/helpdesk/tickets/bulk': ({ ticket }) => ({ body: { ids: [ticket], set: { priority: 'low' } } }),
  'GET /v1/helpdesk/tickets/{id}': ({ ticket: id }) => ({ params: { id } }),
  'PATCH /v1/helpdesk/tickets/{id}': ({ ticket: id }) => ({ params: { id }, body: { priority: 'high' } }),
  'GET /v1/helpdesk/tickets/{id}/messages': ({ ticket: id }) => ({ params: { id } }),
  'POST /v1/helpdesk/tickets/{id}/messages': ({ ticket: id }) => ({
    params: { id },
    body: { content: { text: 'Hi' } },
  }),
  'GET /v1/helpdesk/tickets/{id}/attachments/{attachment_id}': ({ ticket: id, attachment }) => ({
    params: { id, attachment_id: attachment },
  }),
  'GET /v1/export/tickets': () => ({}),
  'POST /v1/webhooks': () => ({ body: { url: 'https://example.com/' } }),
  'GET /v1/webhooks': () => ({}),
  'GET /v1/webhooks/{id}': ({ endpoint }) => ({ params: { id: endpoint } }),
  'PUT /v1/webhooks/{id}': ({ endpoint }) => ({ params: { id: endpoint }, body: { description: 'new' } }),
  'POST /v1/webhooks/{id}/rotate-secret': ({ endpoint }) => ({ params: { id: endpoint } }),
  'POST /v1/webhooks/test': () => ({}),
  'POST /v1/webhooks/filter-preview': () => ({ body: { filter: null } }),
  'POST /v1/webhooks/{id}/test': ({ endpoint }) => ({ params: { id: endpoint } }),
  'GET /v1/webhooks/{id}/deliveries': ({ endpoint }) => ({ params: { id: endpoint } }),
  'GET /v1/webhooks/stats': () => ({}),
  'GET /v1/webhooks/{id}/stats': ({ endpoint }) => ({ params: { id: endpoint } }),
  'GET /v1/deliveries': () => ({}),
  'POST /v1/deliveries/retry': ({ delivery }) => ({ body: { ids: [delivery] } }),
  'GET /v1/deliveries/{id}': ({ delivery }) => ({ params: { id: delivery } }),
  'POST /v1/deliveries/{id}/retry': ({ delivery }) => ({ params: { id: delivery } }),
  'POST /v1/deliveries/{id}/cancel': ({ delivery }) => ({ params: { id: delivery } }),
  'POST /v1/webhooks/{id}/recover': ({ endpoint }) => ({
    params: { id: endpoint },
    body: { since: new Date().toISOString() },
  }),
  'POST /v1/events': ({ person }) => ({
    body: { events: [{ name: 'visit', subscriber_id: person.subscriberId }] },
  }),
  'GET /v1/events': ({ person }) => ({ query: { subscriber_id: person.subscriberId } }),
  'POST /v1/publish': ({ publisher }) => ({
    body: { events: [{ event: 'form.submitted', data: eventRegistry['form.submitted'].example }] },
    key: publisher,
  }),
  'GET /v1/keys': () => ({}),
  'POST /v1/keys': () => ({ body: {} }),
  'GET /v1/channels': () => ({}),
  'PUT /v1/channels/{channel}': () => ({
    params: { channel: 'max' },
    body: { token: 'own-max-bot-token-of-all-routes' },
  }),
  'DELETE /v1/channels/{channel}': () => ({ params: { channel: 'max' } }),
  'DELETE /v1/keys/{id}': ({ key }) => ({ params: { id: key } }),
  'GET /v1/members': () => ({}),
  'PATCH /v1/members/{id}': ({ team }) => ({ params: { id: team.member }, body: { notify: 'all' } }),
  'GET /v1/invitations': () => ({}),
  'POST /v1/invitations': () => ({ body: { role: 'viewer' } }),
  'DELETE /v1/invitations/{id}': ({ team }) => ({ params: { id: team.invitation } }),
  'GET /v1/audit': () => ({}),
  'GET /dashboard/messengers': () => ({}),
  'POST /dashboard/login': () => ({}),
  'GET /dashboard/login/{id}': ({ team: { login } }) => ({
    params: { id: login.id },
    headers: { cookie: login.cookie },
  }),
  'PUT /dashboard/session': ({ project, team }) => ({
    body: { project_id: project.id },
    headers: { ...ownPage, cookie: team.cookie },
  }),
  'PATCH /dashboard/session': ({ team }) => ({
    body: { notify: 'all' },
    headers: { ...ownPage, cookie: team.cookie },
  }),
  'GET /dashboard/sessions': ({ project }) => ({ key: project.api_key }),
  'DELETE /dashboard/sessions/{id}': ({ project, team }) => ({
    key: project.api_key,
    params: { id: team.keySession },
  }),
  'POST /dashboard/projects': ({ team }) => ({
    body: { slug: freshName('own'), name: 'Own' },
    headers: { ...ownPage, cookie: team.cookie },
  }),
  'DELETE /v1/members/{id}': ({ team }) => ({ params: { id: team.member } }),
  'GET /v1/oidc/clients': () => ({}),
  'POST /v1/oidc/clients': () => ({ body: { name: 'App', redirect_uris: ['https://app.example/cb'] } }),
  'GET /v1/oidc/clients/{client_id}': ({ oidcClient }) => ({ params: { client_id: oidcClient } }),
  'PATCH /v1/oidc/clients/{client_id}': ({ oidcClient }) => ({
    params: { client_id: oidcClient },
    body: { name: 'New' },
  }),
  'POST /v1/oidc/clients/{client_id}/rotate-secret': ({ oidcClient }) => ({
    params: { client_id: oidcClient },
  }),
  'DELETE /v1/oidc/clients/{client_id}': ({ oidcClient }) => ({ params: { client_id: oidcClient } }),
  'POST /dashboard/session': ({ project }) => ({ body: { api_key: project.api_key }, headers: ownPage }),
  'GET /dashboard/session': ({ project }) => ({ key: project.api_key }),
  'DELETE /dashboard/session': () => ({ headers: ownPage }),
  'DELETE /v1/auth/session/{id}': ({ session }) => ({ params: { id: session } }),
  'DELETE /v1/webhooks/{id}': ({ endpoint }) => ({ params: { id: endpoint } }),
  'DELETE /v1/subscribers/{id}': ({ person }) => ({ params: { id: person.subscriberId } }),
};

let service: TestService;
let specs: Map<string, RouteSpec>;

beforeAll(async () => {
  // Its own: the list of its routes, and a cancel that waits for a lock until the test frees it.
  service = await startTestService({
    env: {
      HERALD_OPEN_SIGNUP: 'true',
      HERALD_LOCK_TIMEOUT_SECONDS: '60',
      HERALD_STATEMENT_TIMEOUT_SECONDS: '60',
    },
  });
  const routes = createRoutes(service.service.core, { parts: [], waiter: null as never });
  specs = new Map(routes.map(({ spec }) => [`${spec.method} ${spec.path}`, spec]));
});
afterAll(() => service?.stop());

async function createThings(): Promise<Things> {
  // The free plan has no exports.
  const project = await service.createProject({ plan: 'basic' });
  const { status } = await confirmedSession(service, project, freshName());
  const open = await createSession(project);
  const page = await fetch(open.hosted_url);
  const { id: endpoint } = await createEndpoint(project, 'http://127.0.0.1:9/');
  const test = await project.api('POST', `/v1/webhooks/${endpoint}/test`);
  const person = await subscribePerson(service, project);
  // Five recipients, one a minute: it does not end during the test.
  await addCrowd(service, project, 'telegram', 3);
  const { body: broadcast } = await project.api('POST', '/v1/broadcast', {
    text: 'slow',
    messages_per_minute: 1,
  });
  // Without an entry in the agenda, no worker takes it up during the test.
  const imported = randomUUID();
  await service.pool.query(
    `INSERT INTO imports (id, project_id, dry_run, columns, rows) VALUES ($1, $2, false, '{external_id}', 1)`,
    [imported, project.id],
  );
  const { body: sent } = await project.api('POST', '/v1/send', {
    subscriber_id: person.subscriberId,
    text: 'hello',
  });
  await project.api('PATCH', '/v1/helpdesk', { enabled: true });
  const type = await project.api('POST', '/v1/helpdesk/types', { name_en: 'Delivery', name_ru: 'Доставка' });
  const ticket = await project.api('POST', '/v1/helpdesk/tickets', {
    customer: { name: 'Ann' },
    text: 'Hello',
  });
  const template = freshName();
  const scheduled = await project.api('POST', '/v1/scheduled', laterMessage());
  const recurring = await project.api('POST', '/v1/recurring', weekly);
  const drip = await project.api('POST', '/v1/drip-chains', chain);
  const { body: enrolled } = await project.api('POST', `/v1/drip-chains/${drip.body.drip_id}/enrolments`, {
    subscriber_id: person.subscriberId,
  });
  const { form_id, submit_url } = (await project.api('POST', '/v1/forms', form)).body;
  const submitted = await fetch(submit_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ size: 'L' }),
  });
  const { submission_id } = (await submitted.json()) as { submission_id: string };
  await project.api('POST', '/v1/templates', { key: template, variants: { en: { text: 'hello' } } });
  // Its chat is free once a second: it does not end during the test.
  const { body: batch } = await project.api('POST', '/v1/send/batch', {
    messages: Array.from({ length: 500 }, () => ({ subscriber_id: person.subscriberId, text: 'hello' })),
  });
  const key = await project.api('POST', '/v1/keys', {});
  const label = freshName('label');
  await project.api('POST', '/v1/tags', { name: label });
  await project.api('POST', '/v1/permissions', { name: label });
  const { body: link } = await project.api('POST', '/v1/subscribe-links', {});
  const oidcClient = await project.api('POST', '/v1/oidc/clients', {
    name: 'Shop',
    redirect_uris: ['https://shop.example/cb'],
  });
  const { body: request } = await project.api('POST', '/v1/auth/requests', {
    subscriber_id: person.subscriberId,
    message: 'Approve?',
  });
  return {
    project,
    person,
    session: open.session_id,
    request: request.request_id,
    link: link.link_id,
    label,
    hosted: {
      token: open.hosted_url.split('/').at(-1) ?? '',
      cookie: page.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    },
    code: status.code ?? '',
    endpoint,
    delivery: test.body.delivery_id,
    broadcast: broadcast.job_id,
    import: imported,
    message: sent.details[0].delivery_id,
    template,
    batch: batch.batch_id,
    scheduled: scheduled.body.scheduled_id,
    recurring: recurring.body.recurring_id,
    chain: drip.body.drip_id,
    enrolment: enrolled.data[0].enrolment_id,
    form: form_id,
    submission: submission_id,
    ticketType: type.body.type_id,
    ticket: ticket.body.ticket_id,
    attachment: await attachFile(service, ticket.body.ticket_id),
    key: key.body.id,
    oidcClient: oidcClient.body.client_id,
    publisher: await service.createKey(project.id, ['publish']),
    team: await createTeam(service, project),
  };
}

/** One that has ended, whose message failed. */
async function failedBroadcast({ project, person }: Things): Promise<string> {
  const { rows } = await service.pool.query<{ id: string }>(
    `WITH job AS (
       INSERT INTO broadcasts (project_id, content, audience, status, total, sent, failed, skipped, ended_at)
       VALUES ($1, '{"text": "hello", "format": "plain", "buttons": []}', '{}', 'completed', 1, 0, 1, 0, now()) RETURNING id)
     INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, status, reason, ended_at)
     SELECT id, $2, 'telegram', 'failed', 'unknown', now() FROM job RETURNING broadcast_id AS id`,
    [project.id, person.subscriberId],
  );
  return rows[0]?.id ?? '';
}

function send(
  operation: string,
  projectKey: string | null,
  { params = {}, query = {}, body, headers, key = projectKey ?? undefined }: Call,
): Promise<ApiResponse> {
  const [method = '', path = ''] = operation.split(' ');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'missing');
  return service.apiWith(key ?? null)(
    method,
    `${filled}?${new URLSearchParams(query).toString()}`,
    body,
    headers,
  );
}

/** Strings that are a whole time, wherever they are. */
function timesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(timesIn);
}

test('the list of calls names every route', () => {
  expect(Object.keys(calls).sort()).toEqual([...specs.keys()].sort());
});

test('every response is kept out of caches, and its times are written with +00:00', async () => {
  const things = await createThings();
  let times = 0;
  for (const [operation, call] of Object.entries(calls)) {
    const key = specs.get(operation)?.auth === 'key' ? things.project.api_key : null;
    const answer = await send(operation, key, await call(things));
    expect([operation, answer.status, answer.body]).toEqual([
      operation,
      specs.get(operation)?.status,
      answer.body,
    ]);
    expect([operation, answer.headers.get('cache-control')]).toEqual([operation, 'no-store']);
    for (const time of timesIn(answer.body)) {
      times += 1;
      expect([operation, time]).toEqual([operation, expect.stringMatching(/\.\d{3}\+00:00$/)]);
    }
  }
  expect(times).toBeGreaterThan(20);
  // Every change is in the audit log, whatever its route: a name in `actions` that is missing there was forgotten.
  const actions = [...specs.values()].map(auditActionOf).filter((action) => action !== null);
  const { rows: entries } = await service.pool.query<{ action: string; actor_type: string }>(
    'SELECT action, actor_type FROM audit_entries WHERE project_id = $1',
    [things.project.id],
  );
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(actions));
  const byMembers = entries.filter((entry) => entry.actor_type !== 'key');
  // PATCH /dashboard/session, which a member sends.
  expect(byMembers).toEqual([{ action: 'member.updated', actor_type: 'member' }]);
});

test('a change that is refused has no entry in the audit log; of two ids in a path the last is the target', async () => {
  const project = await service.createProject({ plan: 'basic' });
  const person = await subscribePerson(service, project);
  const scheduled = (await project.api('POST', '/v1/scheduled', laterMessage())).body.scheduled_id;
  await service.pool.query(
    `UPDATE scheduled SET status = 'sent', next_at = NULL, ended_at = now() WHERE id = $1`,
    [scheduled],
  );
  const recurring = (await project.api('POST', '/v1/recurring', weekly)).body.recurring_id;
  await service.pool.query(`UPDATE recurring SET status = 'ended' WHERE id = $1`, [recurring]);
  const enrolments = `/v1/drip-chains/${(await project.api('POST', '/v1/drip-chains', chain)).body.drip_id}/enrolments`;
  const enrolled = await project.api('POST', enrolments, { subscriber_id: person.subscriberId });
  const enrolment = enrolled.body.data[0].enrolment_id;
  expect((await project.api('DELETE', `${enrolments}/${enrolment}`)).status).toBe(200);
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO broadcasts (project_id, kind, content, audience, status, total)
     VALUES ($1, 'broadcast', '{}', '{}', 'running', 0) RETURNING id`,
    [project.id],
  );
  const broadcast = rows[0]?.id ?? '';
  const audit = async () =>
    (
      await service.pool.query<{ action: string; target_id: string }>(
        'SELECT action, target_id FROM audit_entries WHERE project_id = $1 ORDER BY at, id',
        [project.id],
      )
    ).rows;
  const before = await audit();
  expect(before).toContainEqual({ action: 'enrolment.cancelled', target_id: enrolment });

  expectError(await project.api('DELETE', `/v1/scheduled/${scheduled}`), 'conflict');
  expectError(await project.api('POST', `/v1/recurring/${recurring}/run`), 'conflict');
  expectError(await project.api('DELETE', `${enrolments}/${enrolment}`), 'conflict');
  expectError(await project.api('DELETE', `${enrolments}/${randomUUID()}`), 'not_found');
  // The broadcast completes between the check of the cancel and its change.
  const sender = await service.pool.connect();
  try {
    await sender.query('BEGIN');
    await sender.query(`UPDATE broadcasts SET status = 'completed', ended_at = now() WHERE id = $1`, [
      broadcast,
    ]);
    const cancelled = project.api('DELETE', `/v1/broadcast/${broadcast}`);
    await eventually(async () => {
      const waiting = await service.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%''cancelling''%'
           AND datname = current_database()`,
      );
      return waiting.rowCount;
    });
    await sender.query('COMMIT');
    expectError(await cancelled, 'conflict');
  } finally {
    sender.release(true);
  }
  expect(await audit()).toEqual(before);
});

test('every route refuses a query parameter that it does not know, by its name', async () => {
  const things = await createThings();
  for (const [operation, call] of Object.entries(calls)) {
    const key = specs.get(operation)?.auth === 'key' ? things.project.api_key : null;
    const { query, ...rest } = await call(things);
    const answer = await send(operation, key, { ...rest, query: { ...query, colour: 'red' } });
    expect([operation, answer.status]).toEqual([operation, 400]);
    expectError(answer, 'validation_failed', /^colour: is not a known field$/);
  }
});

describe('an id of another project', () => {
  let owner: Things;
  let stranger: TestProject;
  beforeAll(async () => {
    owner = await createThings();
    stranger = await service.createProject();
  });

  /** What a change by a stranger would show in; deliveries and broadcasts go on by themselves meanwhile. */
  const state = async () => {
    const read = async (path: string) => (await owner.project.api('GET', path)).body;
    const keys = await read('/v1/keys');
    return {
      endpoint: { ...(await read(`/v1/webhooks/${owner.endpoint}`)), health: null },
      subscriber: await read(`/v1/subscribers/${owner.person.subscriberId}`),
      sessions: await read('/v1/auth/sessions'),
      revoked: keys.data.map(({ revoked_at }: { revoked_at: string | null }) => revoked_at),
      isDeliveryCancelled: (await read(`/v1/deliveries/${owner.delivery}`)).status === 'cancelled',
      isBroadcastCancelled: /^cancel/.test((await read(`/v1/broadcast/${owner.broadcast}`)).status),
    };
  };

  test('in a path gets the response of an unknown one, and nothing changes', async () => {
    const before = await state();
    // A channel is no id: every project has the same two.
    const withIds = [...specs].filter(
      ([operation, { params, auth }]) => params && auth === 'key' && !operation.endsWith('{channel}'),
    );
    expect(withIds.length).toBeGreaterThan(15);
    for (const [operation] of withIds) {
      const call = await calls[operation]!(owner);
      const unknown = {
        ...call,
        params: Object.fromEntries(Object.keys(call.params ?? {}).map((name) => [name, randomUUID()])),
      };
      const theirs = await send(operation, stranger.api_key, call);
      const nobodys = await send(operation, stranger.api_key, unknown);
      expect([operation, nobodys.status]).toEqual([operation, 404]);
      expect([operation, theirs.status, theirs.body]).toEqual([operation, 404, nobodys.body]);
    }
    expect(await state()).toEqual(before);
    const { rows } = await service.pool.query('SELECT action FROM audit_entries WHERE project_id = $1', [
      stranger.id,
    ]);
    expect(rows).toEqual([]);
  });

  test('in a query gets the response of an unknown one', async () => {
    const chain = await stranger.api('POST', '/v1/drip-chains', {
      name: 'Own',
      trigger: { type: 'manual' },
      steps: [{ id: 'end', type: 'end' }],
    });
    const lists = ['auth/sessions', 'messages', 'events', 'scheduled', 'helpdesk/tickets'];
    for (const list of [...lists, `drip-chains/${chain.body.drip_id}/enrolments`]) {
      const read = (id: string) => stranger.api('GET', `/v1/${list}?subscriber_id=${id}`);
      const unknown = await read(randomUUID());
      expect([list, unknown.status, unknown.body.code]).toEqual([list, 404, 'subscriber_not_found']);
      expect((await read('no-id')).body).toEqual(unknown.body);
      expect((await read(owner.person.subscriberId)).body).toEqual(unknown.body);
    }
  });

  test('among deliveries to retry is reported like an unknown one', async () => {
    const ids = [owner.delivery, randomUUID()];
    const { status, body } = await stranger.api('POST', '/v1/deliveries/retry', { ids });
    expect([status, body]).toEqual([
      202,
      { retried: 0, failed: ids.map((id) => ({ id, code: 'not_found' })) },
    ]);
  });

  test.each<[string, () => Record<string, unknown>, () => Record<string, unknown>]>([
    [
      '/v1/send',
      () => ({ subscriber_id: owner.person.subscriberId, text: 'x' }),
      () => ({ subscriber_id: randomUUID(), text: 'x' }),
    ],
    [
      '/v1/otp/send',
      () => ({ subscriber_id: owner.person.subscriberId }),
      () => ({ subscriber_id: randomUUID() }),
    ],
    [
      '/v1/otp/verify',
      () => ({ subscriber_id: owner.person.subscriberId, code: '123456' }),
      () => ({ subscriber_id: randomUUID(), code: '123456' }),
    ],
    ['/v1/auth/verify', () => ({ code: owner.code }), () => ({ code: 'x'.repeat(43) })],
  ])('in the body of %s does too', async (path, theirs, nobodys) => {
    const answer = await stranger.api('POST', path, theirs());
    const unknown = await stranger.api('POST', path, nobodys());
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect([answer.status, answer.body]).toEqual([unknown.status, unknown.body]);
  });
});
