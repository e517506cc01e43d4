import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { routeSpecs } from '../../../sdk/generator/routes';
import { openApiDocument } from '../../../src/site/openapi';
import { startOf } from '../../system/login/fixture';
import { createApi, type Api } from '../api';
import { eventually } from '../eventually';
import { runHerald, startHerald, temporaryDataDir } from '../npm-start';
import { packed } from '../packed-file';
import { createSimulatorControl, type SimulatorControl } from '../simulator-control';
import { promised } from './openapi-changes';
import { releasesDir, type ReleaseFacts } from './releases';

/**
 * `npm run release` runs this: it keeps what the next versions must not break, as `test/released/<version>`. The data directory
 * is that of a service which was stopped in the middle of one thing of each kind.
 */
async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const folder = path.join(releasesDir, version);
  mkdirSync(folder, { recursive: true });
  const routes = routeSpecs().map((spec) => ({ spec }));
  const api = JSON.stringify(promised(openApiDocument(routes, 'http://localhost')));
  writeFileSync(path.join(folder, 'openapi.json.br'), packed(api));

  const dataDir = await temporaryDataDir();
  try {
    const facts = await fill(dataDir.path);
    writeFileSync(path.join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
    writeFileSync(path.join(folder, 'data.tar.br'), packed(archived(dataDir.path)));
  } finally {
    await dataDir.remove();
  }
}

function archived(directory: string): Buffer {
  const archive = `${directory}.tar`;
  const without = ['--exclude=*.log', '--exclude=*.pid'];
  execFileSync('tar', ['-cf', archive, ...without, '-C', directory, ...readdirSync(directory)]);
  const bytes = readFileSync(archive);
  rmSync(archive);
  return bytes;
}

async function fill(directory: string): Promise<ReleaseFacts> {
  const settings = { HERALD_DATA_DIR: directory };
  const herald = startHerald(settings);
  // A receiver that fails: its delivery waits for the second attempt.
  const receiver = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const runtime = await herald.ready();
    const created = await runHerald(
      [
        'project',
        'create',
        '--slug',
        'shop',
        '--name',
        'Shop',
        '--callback-url',
        'https://shop.example/cb',
        '--json',
      ],
      settings,
    );
    const { api_key } = JSON.parse(created.stdout) as { api_key: string };
    // The test that reads it waits by asking often.
    await runHerald(['project', 'set', 'shop', '--requests-per-minute', '10000'], settings);
    const { port } = receiver.address() as AddressInfo;
    return await begin({
      api: createApi(String(runtime.api_url), api_key),
      simulator: createSimulatorControl(String(runtime.simulator_url)),
      receiverUrl: `http://127.0.0.1:${port}/hook`,
      apiKey: api_key,
    });
  } finally {
    receiver.close();
    herald.signalGroup('SIGTERM');
    await herald.allGone();
  }
}

interface Begun {
  api: Api;
  simulator: SimulatorControl;
  receiverUrl: string;
  apiKey: string;
}

/** One thing of each kind, none of which has ended. */
async function begin({ api: call, simulator, receiverUrl, apiKey }: Begun): Promise<ReleaseFacts> {
  const api: Api = async (method, route, body) => {
    const response = await call(method, route, body);
    if (response.status >= 300) throw new Error(`${method} ${route}: ${JSON.stringify(response.body)}`);
    return response as never;
  };

  /** A session in which the user has answered Yes; its code is not redeemed. */
  async function login(name: string): Promise<string> {
    const { body: session } = await api('POST', '/v1/auth/session', { state: `state-${name}` });
    await simulator.open('telegram', name, { start: startOf(session.telegram_link), first_name: name });
    await eventually(async () =>
      (await simulator.chat('telegram', name)).messages.some(({ buttons }) => buttons.length > 0),
    );
    await simulator.tap('telegram', name, { button: 0 });
    const { body } = await api('GET', `/v1/auth/session/${session.session_id}/status?wait=20`);
    return body.code as string;
  }

  const { body: anna } = await api('POST', '/v1/auth/verify', { code: await login('anna') });
  const to = { subscriber_id: anna.subscriber_id as string };
  await api('PATCH', `/v1/subscribers/${to.subscriber_id}`, { external_id: 'user-1', tags: ['vip'] });
  const code = await login('boris');

  const { body: endpoint } = await api('POST', '/v1/webhooks', { url: receiverUrl });
  const { body: test } = await api('POST', `/v1/webhooks/${endpoint.id}/test`, { event: 'auth.completed' });
  await eventually(
    async () => (await api('GET', `/v1/deliveries/${test.delivery_id}`)).body.attempts.length === 1,
  );

  const { body: pending } = await api('POST', '/v1/auth/session', { state: 'state-pending' });
  const { body: broadcast } = await api('POST', '/v1/broadcast', {
    text: 'One a minute',
    messages_per_minute: 1,
  });
  await eventually(async () => (await api('GET', `/v1/broadcast/${broadcast.job_id}`)).body.sent === 1);
  const { body: scheduled } = await api('POST', '/v1/scheduled', {
    ...to,
    content: { text: 'Later' },
    scheduled_at: new Date(Date.now() + 60_000).toISOString(),
  });
  const { body: recurring } = await api('POST', '/v1/recurring', {
    name: 'Every day',
    content: { text: 'Good morning' },
    audience: {},
    cron: '0 9 * * *',
  });
  const { body: chain } = await api('POST', '/v1/drip-chains', {
    name: 'Welcome',
    trigger: { type: 'manual' },
    status: 'active',
    steps: [
      { id: 'a-minute', type: 'delay', minutes: 1 },
      { id: 'hello', type: 'send', content: { text: 'Hello' } },
    ],
  });
  await api('POST', `/v1/drip-chains/${chain.drip_id}/enrolments`, to);
  await api('PATCH', '/v1/helpdesk', { enabled: true });
  const { body: ticket } = await api('POST', '/v1/helpdesk/tickets', {
    ...to,
    subject: 'A parcel that has not arrived',
    text: 'Where is it?',
  });
  const { body: form } = await api('POST', '/v1/forms', {
    name: 'Call me back',
    allowed_origins: ['*'],
    fields: [{ key: 'phone', type: 'phone', label_en: 'Phone' }],
  });
  return {
    recorded_at: new Date().toISOString(),
    api_key: apiKey,
    subscriber_id: to.subscriber_id,
    code,
    endpoint: { id: endpoint.id, secret: endpoint.secret },
    delivery_id: test.delivery_id,
    pending: { session_id: pending.session_id, start: startOf(pending.telegram_link) },
    job_id: broadcast.job_id,
    scheduled_id: scheduled.scheduled_id,
    recurring_id: recurring.recurring_id,
    drip_id: chain.drip_id,
    ticket_id: ticket.ticket_id,
    form_id: form.form_id,
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
