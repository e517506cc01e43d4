/*
 * What a backend does with the SDK, against the service behind HERALD_URL. It prints one JSON line for each step; the test
 * plays the user of the messenger.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import {
  Herald,
  HeraldError,
  verifyWebhook,
  WebhookVerificationError,
  type VerifiedWebhook,
} from 'herald-sdk';

const print = (step: string, facts: object) =>
  process.stdout.write(`${JSON.stringify({ step, ...facts })}\n`);
const herald = new Herald();
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function logIn(): Promise<string> {
  const session = await herald.auth.createSession({ state: 'st-1' });
  print('session', { link: session.telegram_link });
  const login = await herald.waitForSession(session.session_id, { timeoutMs: 60_000 });
  if (login.status !== 'confirmed') throw new Error(login.status);
  const user = await herald.auth.verify({ code: login.code });
  print('user', { state: login.state, first_name: user.first_name });
  // At once after another poll the service returns 429 with Retry-After. A busy machine may let one of them come late.
  for (let i = 0; i < 3; i += 1) await herald.auth.getSessionStatus(session.session_id);
  const { status } = await herald.auth.getSessionStatus(session.session_id);
  print('polled', { status });
  return user.subscriber_id;
}

async function receiveWebhook(): Promise<void> {
  let secret = '';
  const verified: VerifiedWebhook[] = [];
  const refused: string[] = [];
  const server = http.createServer(async (req, res) => {
    const body = await buffer(req);
    verified.push(verifyWebhook(body, req.headers, secret));
    for (const [changed, key] of [
      [`${body.toString()} `, secret],
      [body, `whsec_${'A'.repeat(43)}=`],
    ] as const) {
      try {
        verifyWebhook(changed, req.headers, key);
      } catch (error) {
        if (error instanceof WebhookVerificationError) refused.push(error.reason);
      }
    }
    res.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = await herald.webhooks.create({
    url: `http://127.0.0.1:${port}/`,
    events: ['auth.completed'],
  });
  secret = endpoint.secret ?? '';
  const received = once(server, 'request');
  const { delivery_id } = await herald.webhooks.test(endpoint.id, { event: 'auth.completed' });
  await received;
  while (verified.length === 0) await new Promise(setImmediate);
  const [webhook] = verified;
  print('webhook', {
    event: webhook?.event,
    person: webhook?.event === 'auth.completed' ? webhook.data.first_name : null,
    test: webhook?.test,
    sameDelivery: webhook?.deliveryId === delivery_id,
    refused,
  });
  await herald.webhooks.delete(endpoint.id);
  server.close();
  server.closeAllConnections();
}

async function followEvents(): Promise<void> {
  const ids: string[] = [];
  const stop = new AbortController();
  // What happened before the stream was open is not in it.
  const triggering = (async () => {
    while (ids.length === 0) {
      await herald.webhooks.trigger({ event: 'otp.sent' });
      await setTimeout(300);
    }
    print('following', {});
  })();
  let codes: number[] = [];
  for await (const streamed of herald.webhooks.stream(
    { events: 'otp.sent,auth.completed,otp.verified' },
    { signal: stop.signal },
  )) {
    ids.push(streamed.event_id);
    // The stream can begin with the events of the earlier steps.
    if (streamed.event === 'auth.completed' && streamed.data.first_name.includes('\u2028')) {
      codes = [...streamed.data.first_name].map((char) => char.charCodeAt(0));
      await herald.webhooks.trigger({ event: 'otp.verified' });
    }
    if (streamed.event !== 'otp.verified') continue;
    const isTyped = typeof streamed.data.purpose === 'string' && streamed.test;
    print('streamed', { first: ids[0], ids, last: streamed.event, typed: isTyped, codes });
    break;
  }
  await triggering;
}

async function main(): Promise<void> {
  const subscriberId = await logIn();
  const sent = await herald.messages.send({ subscriber_id: subscriberId, text: 'Hello from the SDK' });
  print('sent', { sent: sent.sent });
  await receiveWebhook();
  await followEvents();

  for (const name of ['one', 'two', 'three', 'four', 'five']) await herald.subscribeLinks.create({ name });
  const names: (string | null)[] = [];
  for await (const link of herald.subscribeLinks.listAll({ limit: 2 })) names.push(link.name);
  print('paginated', { names });

  const csv = await (await herald.exports.getSubscribers()).text();
  print('exported', { hasSubscriber: csv.includes(subscriberId) });
  const { brand } = await herald.project.updateLogo(Buffer.from(PIXEL, 'base64'), 'image/png');
  print('uploaded', { hasLogo: brand.logo_path !== null });
  try {
    await herald.subscribers.get('00000000-0000-4000-8000-000000000000');
  } catch (error) {
    if (!(error instanceof HeraldError)) throw error;
    print('refused', { status: error.status, code: error.code, retryable: error.retryable });
  }
  try {
    new Herald({ apiKey: 'hk_…' });
  } catch (error) {
    print('no key', { message: (error as Error).message });
  }
}

void main();
