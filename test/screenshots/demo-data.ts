import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { seedDemoProject } from '../../src/local/demo';
import { testCipher } from '../support/installation';
import { startExampleSite, type ExampleSite } from '../../src/local/demo/example-site';
import { LATENCY_BOUNDS_MS } from '../../src/domains/webhooks/queries/hours';
import { eventually } from '../support/eventually';
import { png } from '../support/png';
import type { TestProject, TestService } from '../support/service';
import type { ScriptedReceiver } from '../system/webhooks/fixture';
import { seedCampaigns } from './demo-campaigns';
import { seedForm } from './demo-form';
import { seedTickets } from './demo-tickets';

export interface Demo {
  project: TestProject;
  /** Looks the same; its sessions do not fill the log of the other. */
  shop: TestProject;
  apiKey: string;
  endpointId: string;
  failingEndpointId: string;
  deliveryId: string;
  subscriberId: string;
  sessionId: string;
  messageId: string;
  jobId: string;
  batchId: string;
  ticketId: string;
  chainId: string;
  formId: string;
  formUrl: string;
  recurringId: string;
  templateKey: string;
}

export const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** A shop with a month of logins, a day of deliveries, a failing endpoint, subscribers and a broadcast. */
export async function seedDemo(service: TestService, receiver: ScriptedReceiver): Promise<Demo> {
  const project = await service.createProject({
    name: 'Tea shop',
    callback_url: 'https://tea.example/login',
    // Its team, its templates and its links are more than the free plan has.
    plan: 'basic',
  });
  const shop = await service.createProject({ name: 'Tea shop', callback_url: 'https://tea.example/login' });
  await setLook(project);
  await setLook(shop);
  const { pool } = service;
  await pool.query(
    `INSERT INTO credit_ledger (session_id, project_id, source, charged_at)
     SELECT gen_random_uuid(), $1, 'plan', now() - make_interval(days => day)
     FROM generate_series(0, 29) day, generate_series(1, 1 + (day * 7 + 3) % 5) n`,
    [project.id],
  );
  await pool.query(
    `INSERT INTO credit_months
     SELECT project_id, date_trunc('month', now() AT TIME ZONE 'UTC'), count(*) FROM credit_ledger
     WHERE project_id = $1 AND charged_at >= date_trunc('month', now(), 'UTC') GROUP BY project_id`,
    [project.id],
  );
  await subscribeCustomers(service, project);
  // Before the endpoints, whose log shows other events.
  const campaigns = await seedCampaigns(service, project);
  // One receiver for both endpoints: it fails under the path of the second one.
  receiver.behave((res, { path: requested }) => {
    res.statusCode = requested.includes('analytics') ? 503 : 200;
    res.end(res.statusCode === 200 ? 'ok' : 'database is starting');
  });
  const healthy = await project.api('POST', '/v1/webhooks', {
    url: `${receiver.url}/orders`,
    description: 'Orders',
    events: ['auth.completed', 'subscription.created'],
    headers: { Authorization: 'Bearer shop-token' },
  });
  const failing = await project.api('POST', '/v1/webhooks', {
    url: `${receiver.url}/analytics`,
    description: 'Analytics',
  });
  const endpoints = [healthy.body.id as string, failing.body.id as string];
  await pool.query(
    `INSERT INTO endpoint_hours (endpoint_id, hour, succeeded, failed, latency, last_at)
     SELECT e, date_trunc('hour', now(), 'UTC') - make_interval(hours => n), 20 + (n * 13) % 30, (n % 9 = 4)::int * 6,
       latency, now() - make_interval(hours => n)
     FROM unnest($1::uuid[]) e, generate_series(1, 23) n,
       (SELECT array_agg(CASE WHEN i BETWEEN 2 AND 4 THEN 8 ELSE 0 END) AS latency FROM generate_series(1, $2) i) l`,
    [endpoints.slice(0, 1), LATENCY_BOUNDS_MS.length + 1],
  );
  const { sessionId, subscriberId } = await logInOnce(service, project);
  await project.api('POST', '/v1/auth/session', { state: 'order-1043', user_agent: AGENT });
  const message = await project.api('POST', '/v1/send', {
    subscriber_id: subscriberId,
    text: 'Your tea is on its way.',
  });
  const broadcast = await project.api('POST', '/v1/broadcast', {
    text: 'New harvest is here',
    channel: 'telegram',
    buttons: [[{ text: 'Look at it', data: 'harvest' }]],
  });
  await project.api('POST', '/v1/events', {
    events: [
      { name: 'visit', subscriber_id: subscriberId, properties: { page: 'green-tea' } },
      { name: 'cart.added', subscriber_id: subscriberId, properties: { product: 'Sencha', amount: 12.5 } },
      {
        name: 'purchase',
        external_id: 'customer-1',
        properties: { amount: 49.9, currency: 'EUR' },
        event_id: 'order-1042',
      },
    ],
  });
  const ticketId = await seedTickets(project, subscriberId);
  const chainId = await enrolCustomers(project);
  const form = await seedForm(project, subscriberId);
  const sent = await project.api('POST', `/v1/webhooks/${failing.body.id}/test`);
  const deliveryId = sent.body.delivery_id as string;
  await eventually(async () => {
    const { body } = await project.api('GET', `/v1/deliveries/${deliveryId}`);
    return body.attempts[0]?.duration_ms != null;
  });
  return {
    ...campaigns,
    project,
    shop,
    apiKey: project.api_key,
    endpointId: endpoints[0]!,
    failingEndpointId: endpoints[1]!,
    deliveryId,
    sessionId,
    messageId: message.body.details[0].delivery_id as string,
    jobId: broadcast.body.job_id as string,
    subscriberId,
    ticketId,
    chainId,
    ...form,
  };
}

/** A chain with a few customers in it. */
async function enrolCustomers(project: TestProject): Promise<string> {
  const { body: chain } = await project.api('POST', '/v1/drip-chains', {
    name: 'Abandoned cart',
    trigger: { type: 'event', name: 'cart.added' },
    exit_on: { rules: [{ event: 'purchase' }] },
    steps: [
      { id: 'reminder', type: 'send', content: { text: 'Your tea is still in the cart.' } },
      { id: 'two-days', type: 'delay', minutes: 2880 },
      { id: 'daytime', type: 'wait_until', from: '09:00', to: '20:00', weekdays: [1, 2, 3, 4, 5] },
      { id: 'is-vip', type: 'condition', if: { rules: [{ tag: 'vip' }] }, else: 'offer' },
      { id: 'thanks', type: 'send', content: { text: 'Free delivery for our regulars this week.' } },
      { id: 'stop', type: 'end' },
      { id: 'offer', type: 'send', content: { text: 'Ten per cent off, today only.' }, permission: 'offers' },
    ],
    status: 'active',
  });
  const { body: subscribers } = await project.api('GET', '/v1/subscribers?active=true&limit=5');
  for (const { subscriber_id } of subscribers.data as { subscriber_id: string }[]) {
    await project.api('POST', `/v1/drip-chains/${chain.drip_id}/enrolments`, { subscriber_id });
  }
  return chain.drip_id as string;
}

const names = ['Anna', 'Борис', 'Vera', 'Григорий', 'Daria'];
const CUSTOMERS = 14;

/** Customers with chats of their own, who subscribed on different days. */
async function subscribeCustomers(service: TestService, project: TestProject): Promise<void> {
  for (let n = 1; n <= CUSTOMERS; n += 1) {
    await service.control.open(n % 3 === 0 ? 'max' : 'telegram', `user_${n}`, {
      start: `proj_${project.slug}`,
      first_name: names[n % names.length] ?? '',
      username: `user_${n}`,
    });
  }
  await eventually(async () => {
    const { body } = await project.api('GET', '/v1/subscribers?limit=100');
    return body.data.length === CUSTOMERS;
  });
  await service.pool.query(
    `UPDATE subscribers s SET created_at = now() - make_interval(hours => n.n * 9),
       external_id = CASE WHEN n.n = 4 THEN repeat('customer-', 6) ELSE 'customer-' END || n.n,
       tags = CASE WHEN n.n % 2 = 0 THEN '{vip,green tea}'::text[] ELSE '{}' END
     FROM generate_series(1, $2) AS n (n) WHERE s.project_id = $1 AND s.username = 'user_' || n.n`,
    [project.id, CUSTOMERS],
  );
}

/** Anna logs in; she becomes a subscriber. */
async function logInOnce(
  service: TestService,
  project: TestProject,
): Promise<{ sessionId: string; subscriberId: string }> {
  const login = await project.api('POST', '/v1/auth/session', {
    state: 'order-1042',
    user_agent: AGENT,
    client_ip: '203.0.113.7',
  });
  const start = new URL(login.body.telegram_link as string).searchParams.get('start');
  await service.control.open('telegram', 'anna', { start, first_name: 'Anna', username: 'anna' });
  await eventually(async () =>
    (await service.control.chat('telegram', 'anna')).messages.some(({ buttons }) => buttons.length > 0),
  );
  await service.control.tap('telegram', 'anna', { button: 0 });
  const subscriberId = await eventually(async () => {
    const { body } = await project.api('GET', '/v1/auth/sessions?limit=1');
    return body.data[0].subscriber_id as string | null;
  });
  return { sessionId: login.body.session_id as string, subscriberId };
}

/** A green leaf on nothing, and its colour. */
async function setLook(project: TestProject): Promise<void> {
  const leaf = png(96, 96, (x, y) =>
    (x - 30) ** 2 + (y - 66) ** 2 < 3_600 && (x - 66) ** 2 + (y - 30) ** 2 < 3_600
      ? [31, 122, 77, 255]
      : [0, 0, 0, 0],
  );
  const images = http.createServer((_request, response) => response.end(leaf));
  await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
  const { port } = images.address() as AddressInfo;
  const { status } = await project.api('PATCH', '/v1/project', {
    brand: {
      logo_url: `http://127.0.0.1:${port}/logo.png`,
      color: '#1f7a4d',
      privacy_url: 'https://tea.example/privacy',
    },
  });
  images.close();
  images.closeAllConnections();
  if (status !== 200) throw new Error(`the look was not set (${status})`);
}

/** The addresses as a customer would have them. Later attempts find no server there, as before. */
export async function nameEndpoints(service: TestService, demo: Demo): Promise<void> {
  await service.pool.query(
    `UPDATE endpoints SET url = CASE WHEN id = $1 THEN 'https://tea.example/hooks/orders'
       ELSE 'https://tea.example/hooks/analytics' END WHERE project_id = $2`,
    [demo.endpointId, demo.project.id],
  );
  await service.pool.query(
    `UPDATE project_brands SET logo_url = 'https://tea.example/logo.png' WHERE project_id = $1`,
    [demo.project.id],
  );
}

/** The project of the demo site, without its limit of sessions. */
export async function startDemoSite(service: TestService, dataDir: string): Promise<ExampleSite> {
  const { api_key: apiKey } = await seedDemoProject({
    pool: service.pool,
    cipher: testCipher,
    keyFile: path.join(dataDir, 'demo-api-key'),
  });
  await service.pool.query('UPDATE projects SET sessions_per_hour = 1000, sessions_per_address = 1000');
  const { url, service: running } = service;
  const urlFile = path.join(dataDir, 'demo-site-url');
  const site = await startExampleSite({
    apiUrl: url,
    publicUrl: url,
    apiKey,
    urlFile,
    log: running.core.log,
  });
  if (!site) throw new Error('the example site did not start');
  return site;
}
