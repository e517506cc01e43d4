import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Runtime } from '../../../src/main';
import { createApi } from '../../support/api';
import { eventually } from '../../support/eventually';
import { filesOpenToOthers } from '../../support/private-files';
import { npmStarts, runHerald } from '../../support/npm-start';
import { createSimulatorControl } from '../../support/simulator-control';

jest.setTimeout(180_000);

async function call(url: string, key?: string) {
  const response = await fetch(url, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Each has one example in the demo project. */
const exampleLists = [
  'templates',
  'send/batch',
  'scheduled',
  'recurring',
  'drip-chains',
  'events',
  'subscribers',
  'forms',
  'helpdesk/tickets',
];

/** As a script does it that has the demo key only. */
async function logIn({ api_url, simulator_url, demo }: Runtime): Promise<void> {
  const api = createApi(String(api_url), demo?.api_key ?? null);
  const phone = createSimulatorControl(String(simulator_url));
  const { body: session } = await api('POST', '/v1/auth/session', { state: 'my-state' });
  const start = new URL(String(session.telegram_link)).searchParams.get('start');
  await phone.open('telegram', 'anna', { start });
  await eventually(async () => (await phone.chat('telegram', 'anna')).messages.at(-1)?.buttons.length);
  await phone.tap('telegram', 'anna', { button: 'Yes' });
  const { body: confirmed } = await api('GET', `/v1/auth/session/${session.session_id}/status?wait=20`);
  const callback = await fetch(String(confirmed.redirect_url));
  expect(callback.status).toBe(200);
  const page = await callback.text();
  expect(page).toContain(`>${confirmed.code}<`);
  expect(page).toContain('>my-state<');
  expect((await api('POST', '/v1/auth/verify', { code: confirmed.code })).status).toBe(200);
}

describe('npm start, as a user runs it', () => {
  const starts = npmStarts();
  const { start } = starts;

  it('runs the whole service from nothing, keeps its data over a restart and leaves no process behind', async () => {
    const first = start();
    const runtime = await first.ready();
    expect(first.stderr()).toContain('creating the database');
    expect(Object.keys(runtime)).toEqual([
      'api_url',
      'dashboard_url',
      'docs_url',
      'simulator_url',
      'temporal_address',
      'temporal_ui_url',
      'database_url',
      'demo',
      'demo_url',
    ]);
    expect(runtime.demo).toEqual({ slug: 'demo', api_key: expect.stringMatching(/^hk_[0-9A-Za-z]{40}$/) });
    for (const url of [runtime.api_url, runtime.simulator_url, runtime.temporal_ui_url, runtime.demo_url]) {
      expect(new URL(url ?? '').hostname).toBe('127.0.0.1');
    }
    await eventually(async () => {
      expect(await call(`${runtime.api_url}/readyz`)).toEqual({
        status: 200,
        body: { status: 'ready', parts: { database: 'ok', temporal: 'ok' } },
      });
      return true;
    });
    expect((await call(`${runtime.api_url}/v1/event-types`, runtime.demo?.api_key)).status).toBe(200);
    for (const list of exampleLists) {
      const shown = await call(`${runtime.api_url}/v1/${list}`, runtime.demo?.api_key);
      expect([list, shown.status, shown.body.data]).toEqual([list, 200, [expect.anything()]]);
    }
    expect((await call(`${runtime.api_url}/v1/webhooks`, runtime.demo?.api_key)).body.data).toEqual([]);
    expect((await fetch(runtime.docs_url ?? '')).status).toBe(200);
    expect((await fetch(runtime.simulator_url ?? '')).status).toBe(200);
    const site = await (await fetch(runtime.demo_url ?? '')).text();
    expect(site).toContain('Log in with a messenger');
    // The static links of the demo project, which lead back to the site.
    expect(site).toContain(`${runtime.simulator_url}/`);
    const { body } = await call(`${runtime.api_url}/v1/project`, runtime.demo?.api_key);
    expect(body).toMatchObject({ callback_url: `${runtime.demo_url}/callback` });
    await logIn(runtime);
    expect((await fetch(runtime.temporal_ui_url ?? '')).status).toBe(200);

    const created = await runHerald(
      ['project', 'create', '--slug', 'kept', '--name', 'Kept', '--json'],
      starts.settings,
    );
    expect({ code: created.code, stderr: created.stderr }).toEqual({ code: 0, stderr: '' });
    const kept = JSON.parse(created.stdout) as { project_id: string; slug: string; api_key: string };

    const busy = await start().finished;
    expect(busy.code).toBe(75);
    expect(busy.stderr).toMatch(
      /Herald is already running with the data directory .* \(process \d+\); stop it first/,
    );

    expect(filesOpenToOthers(starts.settings['HERALD_DATA_DIR'] ?? '')).toEqual([]);
    first.signalGroup('SIGINT');
    await first.allGone();
    const stopped = await runHerald(['project', 'list'], starts.settings);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(/^Herald is not running with the data directory [^\n]*\n$/);

    const second = start();
    const again = await second.ready();
    expect(second.stderr()).not.toContain('creating the database');
    expect(again.demo).toEqual(runtime.demo);
    expect((await call(`${again.api_url}/v1/event-types`, kept.api_key)).status).toBe(200);
    const listed = JSON.parse(
      (await runHerald(['project', 'list', '--json'], starts.settings)).stdout,
    ) as object[];
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ slug: 'kept' }),
        expect.objectContaining({ slug: 'demo' }),
      ]),
    );

    second.signalNpm('SIGTERM');
    await second.allGone();
    expect(second.stderr()).toContain('stopping');
    expect(second.stderr()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('stops at a wrong setting with its name, before it touches anything', async () => {
    const elsewhere = path.join(starts.dataDir, 'elsewhere');
    const wrong = await start({ PORT: 'many', HERALD_DATA_DIR: elsewhere }).finished;
    expect(wrong.code).toBe(78);
    expect(wrong.stderr).toContain('PORT: must be a whole number from 0 to 65535\n');
    const roles = await start({ HERALD_DATA_DIR: elsewhere }, ['--roles', 'cook']).finished;
    expect(roles.code).toBe(78);
    expect(roles.stderr).toContain('HERALD_ROLES: must be a list of api, worker, bots\n');
    const production = await start({ NODE_ENV: 'production', HERALD_DATA_DIR: elsewhere }).finished;
    expect(production.code).toBe(78);
    expect(production.stderr).toContain('HERALD_ENCRYPTION_KEY: is required in production');
    expect(production.stderr).toContain('HERALD_PUBLIC_URL: is required in production');
    const unsafe = await start({
      NODE_ENV: 'production',
      HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      HERALD_PUBLIC_URL: 'http://herald.example.com',
      HERALD_DATA_DIR: elsewhere,
    }).finished;
    expect(unsafe.code).toBe(78);
    expect(unsafe.stderr).toContain('HERALD_PUBLIC_URL: must use https in production');
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe('npm start -- --empty', () => {
  const { start } = npmStarts();

  it('gives the demo project its key and its site, but no examples', async () => {
    const empty = start({}, ['--empty']);
    const runtime = await empty.ready();
    for (const list of [...exampleLists, 'webhooks']) {
      const shown = await call(`${runtime.api_url}/v1/${list}`, runtime.demo?.api_key);
      expect([list, shown.status, shown.body.data]).toEqual([list, 200, []]);
    }
    await logIn(runtime);
    empty.signalGroup('SIGINT');
    await empty.allGone();
  });
});
