import { request } from 'node:http';
import Koa from 'koa';
import type { StoredUpdate } from '../../../src/domains/bots/intake';
import { webhookIntake } from '../../../src/domains/bots/webhook-intake';
import { errorMapper } from '../../../src/base/http/errors';
import { startServer, type RunningServer } from '../../../src/base/http/server';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { quiet, startBotFixture, startIntake, telegramText, textOf, type RunningIntake } from './fixture';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';

const secret = 'test-only-webhook-secret';
const headers: Record<SimulatedChannel, string> = {
  telegram: 'x-telegram-bot-api-secret-token',
  max: 'x-max-bot-api-secret',
};

let database: TestDatabase;
let running: RunningIntake;
let server: RunningServer;
let seen: StoredUpdate[] = [];
/** What the database throws instead of storing. */
let away: Error | null = null;

beforeEach(async () => {
  database = await createTestDatabase();
  seen = [];
  away = null;
  running = startIntake(database, async (update) => void seen.push(update));
  const store: RunningIntake['intake']['store'] = async (...args) => {
    if (away) throw away;
    await running.intake.store(...args);
  };
  const app = new Koa();
  const docsUrl = () => 'http://127.0.0.1/docs/errors';
  app.use(errorMapper({ log: quiet, docsUrl }));
  app.use(webhookIntake({ intake: { store }, secretOf: async () => secret }));
  server = await startServer({ app, host: '127.0.0.1', port: 0, docsUrl });
});
afterEach(async () => {
  await server.stop(1000);
  await running.stop();
  await database.drop();
});

const url = (channel: SimulatedChannel) => `http://127.0.0.1:${server.port}/bots/${channel}`;

function post(
  channel: SimulatedChannel,
  body: string,
  extra: Record<string, string> = {},
): Promise<Response> {
  return fetch(url(channel), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...extra },
    body,
  });
}

describe.each(simulatedChannels)('the webhook of %s', (channel) => {
  const hi = JSON.stringify(
    channel === 'telegram'
      ? telegramText(1, 5, 'hi')
      : {
          update_type: 'message_created',
          timestamp: 1,
          message: {
            sender: { user_id: 5, first_name: 'Anna', username: null },
            recipient: { chat_id: 9, chat_type: 'dialog' },
            body: { mid: 'mid.1', text: 'hi' },
          },
        },
  );

  it('stores an update before it returns 200, and two deliveries have one effect', async () => {
    for (let i = 0; i < 2; i += 1) {
      const response = await post(channel, hi, { [headers[channel]]: secret });
      expect(response.status).toBe(200);
      const { rows } = await database.pool.query('SELECT channel FROM bot_updates');
      expect(rows).toEqual([{ channel }]);
    }
    await eventually(() => seen.length === 1);
    expect(seen.map(textOf)).toEqual(['hi']);
  });

  it.each([{}, { [headers[channel]]: '' }, { [headers[channel]]: `${secret}x` }, { authorization: secret }])(
    'refuses a wrong or missing secret in the envelope: %j',
    async (wrong) => {
      const response = await post(channel, hi, wrong as Record<string, string>);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'unauthorized', retryable: false });
    },
  );

  it('refuses it before the body has even arrived', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(url(channel), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': 1000, [headers[channel]]: 'wrong' },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode ?? 0);
        response.resume();
        sent.destroy();
      });
      sent.on('error', reject);
      // Only the beginning of the body is ever sent.
      sent.write('{"update_id"');
    });
    expect(status).toBe(401);
  });

  it('returns 503 while the database is unavailable, and the redelivered update has one effect', async () => {
    away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const fixture = await startBotFixture();
    try {
      const messenger = await fixture.messenger(channel);
      await messenger.setWebhook(url(channel), secret);
      const direct = await post(channel, hi, { [headers[channel]]: secret });
      expect(direct.status).toBe(503);
      expect(await direct.json()).toMatchObject({ code: 'service_unavailable', retryable: true });
      await fixture.control.say(channel, 'anna', 'after the outage');
      await fixture.control.say(channel, 'anna', 'in order');
      away = null;
      await eventually(() => seen.length === 2);
      expect(seen.map(textOf)).toEqual(['after the outage', 'in order']);
    } finally {
      await fixture.stop();
    }
  });

  it.each([
    ['NUL', String.raw`a\u0000b`],
    ['half a surrogate pair', String.raw`a\ud83db`],
    ['the other half', String.raw`a\ude00b`],
    ['bytes that are not UTF-8', 'a\u00ffb'],
  ])('stores an update with %s, which becomes U+FFFD', async (_, text) => {
    const response = await fetch(url(channel), {
      method: 'POST',
      headers: { 'content-type': 'application/json', [headers[channel]]: secret },
      body: Buffer.from(hi.replace('"hi"', `"${text}"`), 'latin1'),
    });
    expect(response.status).toBe(200);
    await eventually(() => seen.length === 1);
    expect(seen.map(textOf)).toEqual(['a\ufffdb']);
  });

  it('stores an update of any depth', async () => {
    const body = hi.replace('"hi"', `"hi","extra":${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect((await post(channel, body, { [headers[channel]]: secret })).status).toBe(200);
    await eventually(() => seen.length === 1);
    expect(seen.map(textOf)).toEqual(['hi']);
  });

  it('refuses a body that is too large or not JSON, and other methods', async () => {
    const right = { [headers[channel]]: secret };
    const large = await post(channel, JSON.stringify({ text: 'x'.repeat(1024 * 1024) }), right);
    expect(large.status).toBe(413);
    const broken = await post(channel, '{"update_id": 1', right);
    expect(await broken.json()).toMatchObject({ code: 'validation_failed' });
    const read = await fetch(url(channel), { headers: right });
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('a channel without a webhook', () => {
  it('has no such address', async () => {
    const app = new Koa();
    const docsUrl = () => 'http://127.0.0.1/docs/errors';
    app.use(webhookIntake({ intake: running.intake, secretOf: async () => null }));
    const other = await startServer({ app, host: '127.0.0.1', port: 0, docsUrl });
    const response = await fetch(`http://127.0.0.1:${other.port}/bots/max`, { method: 'POST' });
    expect(response.status).toBe(404);
    await other.stop(1000);
  });
});
