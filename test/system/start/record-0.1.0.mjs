/*
 * Records the data directory of version 0.1.0 for upgrade.test.ts, once:
 *
 *   git archive 3b8cfd1 | tar -x -C /some/folder     the last commit of 0.1.0
 *   (cd /some/folder && npm ci)
 *   node test/system/start/record-0.1.0.mjs /some/folder
 *
 * It leaves data-0.1.0.tar.br (the directory) and data-0.1.0.json (what is in it) beside this file.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';

const former = path.resolve(process.argv[2] ?? '.');
const dataDir = mkdtempSync(path.join(tmpdir(), 'herald-former-'));
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  HERALD_DATA_DIR: dataDir,
  PORT: '0',
  HERALD_SIMULATOR_PORT: '0',
  HERALD_POSTGRES_PORT: '0',
  HERALD_TEMPORAL_PORT: '0',
  HERALD_TEMPORAL_UI_PORT: '0',
  HERALD_METRICS_PORT: '0',
};
const cli = path.join(former, 'dist/src/cli.js');
const service = spawn(process.execPath, [cli, 'start', '--json'], {
  cwd: former,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface({ input: service.stdout }), 'line');
const runtime = JSON.parse(line);

const herald = (...args) =>
  JSON.parse(
    execFileSync(process.execPath, [cli, ...args, '--json'], { cwd: former, env, encoding: 'utf8' }),
  );

async function call(url, method, body, key) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

async function until(check) {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await check();
    if (found) return found;
    await sleep(200);
  }
  throw new Error('a condition did not come true');
}

const project = herald(
  'project',
  'create',
  '--slug',
  'shop',
  '--name',
  'Shop',
  '--callback-url',
  'https://shop.example/callback',
);
herald('project', 'set', 'shop', '--sessions-per-hour', '100');
const api = (method, route, body) => call(runtime.api_url + route, method, body, project.api_key);
const user = (name, action, body) =>
  call(`${runtime.simulator_url}/control/telegram/users/${name}/${action}`, 'POST', body);
const chat = async (name) =>
  (await call(`${runtime.simulator_url}/control/telegram/users/${name}/chat`, 'GET')).messages;
const startOf = (link) => new URL(link).searchParams.get('start');

/** A session in which the user has answered Yes; its code is not redeemed. */
async function login(name) {
  const session = await api('POST', '/v1/auth/session', { state: `state-${name}` });
  await user(name, 'open', { start: startOf(session.telegram_link), first_name: name });
  await until(async () => (await chat(name)).some(({ buttons }) => buttons?.length > 0));
  await user(name, 'tap', { button: 'Yes' });
  const status = await until(async () => {
    await sleep(1_000);
    const found = await api('GET', `/v1/auth/session/${session.session_id}/status`);
    return found.status === 'confirmed' && found;
  });
  return { session_id: session.session_id, code: status.code };
}

const redeemed = await login('anna');
const anna = await api('POST', '/v1/auth/verify', { code: redeemed.code });
await api('PATCH', `/v1/subscribers/${anna.subscriber_id}`, {
  external_id: 'user-1',
  tags: ['vip'],
  permissions: ['news'],
});
const unredeemed = await login('boris');

// A receiver that fails: its deliveries wait in Temporal for their second attempt.
const receiver = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const endpoint = await api('POST', '/v1/webhooks', {
  url: `http://127.0.0.1:${receiver.address().port}/hook`,
});
const { delivery_id } = await api('POST', `/v1/webhooks/${endpoint.id}/test`, { event: 'auth.completed' });
await until(async () =>
  (await api('GET', `/v1/deliveries/${delivery_id}`)).attempts.some(({ status }) => status === 500),
);

const pending = await api('POST', '/v1/auth/session', { state: 'state-pending' });
const broadcast = await api('POST', '/v1/broadcast', { text: 'One a minute', messages_per_minute: 1 });
await until(async () => (await api('GET', `/v1/broadcast/${broadcast.job_id}`)).sent === 1);

const facts = {
  recorded_at: new Date().toISOString(),
  api_key: project.api_key,
  subscriber_id: anna.subscriber_id,
  code: unredeemed.code,
  endpoint: { id: endpoint.id, secret: endpoint.secret },
  delivery_id,
  pending: { session_id: pending.session_id, start: startOf(pending.telegram_link) },
  job_id: broadcast.job_id,
};
service.kill('SIGTERM');
await once(service, 'exit');
receiver.close();

// The cluster begins anew from its last checkpoint; older segments of the log are not needed.
const entries = readdirSync(dataDir);
console.log('recorded', entries);
const archive = path.join(dataDir, '..', `${path.basename(dataDir)}.tar`);
execFileSync('tar', ['-cf', archive, '--exclude=*.log', '--exclude=*.pid', '-C', dataDir, ...entries]);
const here = path.dirname(new URL(import.meta.url).pathname);
const packed = brotliCompressSync(readFileSync(archive), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
writeFileSync(path.join(here, 'data-0.1.0.tar.br'), packed);
writeFileSync(path.join(here, 'data-0.1.0.json'), `${JSON.stringify(facts, null, 2)}\n`);
rmSync(archive);
rmSync(dataDir, { recursive: true });
console.log(`${packed.length} bytes`);
