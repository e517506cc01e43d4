import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { resolveAndVet } from '../../../src/base/outbound/addresses';
import {
  type Attempter,
  type AttemptInput,
  type AttempterOptions,
  createAttempter,
} from '../../../src/domains/webhooks/attempt';
import { verifySignature as verify } from '../../../sdk/typescript/src';
import { SOON_MS } from '../../support/eventually';
import {
  namesFrom,
  type Receiver,
  startRawReceiver,
  startReceiver,
  testCertificate,
} from '../../support/receiver';

const secret = 'whsec_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';
const projectId = '0d1c4f6e-5a0e-4a55-9a43-1f2f0c1f6a11';
const deliveryId = '6c8f6f0e-98a5-4b6d-a9f5-5d6b4b6b2d11';
const closers: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function opened(starting: Promise<Receiver>): Promise<Receiver> {
  const receiver = await starting;
  closers.unshift(() => receiver.close());
  return receiver;
}

function attempter(options: Partial<AttempterOptions> = {}): Attempter {
  const made = createAttempter({ allowLocal: true, ...options });
  closers.unshift(() => made.close());
  return made;
}

const delivery = (url: string, more: Partial<AttemptInput> = {}): AttemptInput => ({
  projectId,
  url,
  deliveryId,
  event: 'otp.sent',
  body: '{"event":"otp.sent","data":{}}',
  secrets: [secret],
  ...more,
});

describe('a delivery that arrives', () => {
  it('is a signed POST whose body is byte for byte the one given', async () => {
    const receiver = await opened(
      startReceiver((res) => res.writeHead(202, { server: 'mine' }).end('thanks')),
    );
    const body = Buffer.from('{"event":"auth.completed","data":{"first_name":"Zoë 😀 \\u0000","n":1.0}}\n');
    const before = Math.floor(Date.now() / 1_000);
    const result = await attempter().attempt(
      delivery(`${receiver.url}?a=b%20c`, { body, event: 'auth.completed' }),
    );

    expect(result).toMatchObject({ status: 202, error: null, errorDetail: null, responseBody: 'thanks' });
    expect(result.responseHeaders).toMatchObject({ server: 'mine' });
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b%20c' });
    expect(request!.body.equals(body)).toBe(true);
    expect(request!.headers).not.toHaveProperty('authorization');
    expect(request!.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'Herald-Webhooks/1',
      'x-service-event': 'auth.completed',
      'x-service-delivery-id': deliveryId,
    });
    const signature = String(request!.headers['x-service-signature']);
    const { timestamp } = verify(request!.body, signature, secret);
    expect(request!.headers['x-service-timestamp']).toBe(String(timestamp));
    expect(timestamp).toBeGreaterThanOrEqual(before);
    const byHand = createHmac('sha256', secret).update(Buffer.concat([Buffer.from(`${timestamp}.`), body]));
    expect(signature).toBe(`t=${timestamp},v1=${byHand.digest('hex')}`);
  });

  it('a later attempt has the same id and body, a fresh time and a fresh signature', async () => {
    const receiver = await opened(startReceiver((res) => res.writeHead(500).end()));
    const sender = attempter();
    await sender.attempt(delivery(receiver.url, { timestampSeconds: 1_700_000_000 }));
    await sender.attempt(
      delivery(receiver.url, { timestampSeconds: 1_700_000_030, secrets: ['whsec_new', secret] }),
    );
    const [first, second] = receiver.received.map(({ headers }) => headers);
    expect(second!['x-service-delivery-id']).toBe(first!['x-service-delivery-id']);
    expect(first!['x-service-signature']).toMatch(/^t=1700000000,v1=[0-9a-f]{64}$/);
    expect(second!['x-service-signature']).toMatch(/^t=1700000030,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(receiver.received[1]!.body.equals(receiver.received[0]!.body)).toBe(true);
  });

  it.each([200, 204, 400, 404, 410, 429, 500, 503])('the status %i is reported as it is', async (status) => {
    const receiver = await opened(startReceiver((res) => res.writeHead(status).end()));
    const result = await attempter().attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status, error: null, responseBody: '' });
  });

  it('connections are kept and used again', async () => {
    const receiver = await opened(startReceiver((res) => res.end('ok')));
    const sender = attempter();
    for (let n = 0; n < 5; n += 1) {
      await sender.attempt(delivery(receiver.url));
      await setImmediate(); // The connection is free a moment after the answer's last byte.
    }
    expect(receiver.received).toHaveLength(5);
    expect(receiver.connections).toBe(1);
  });

  it('over TLS, to a certificate of a trusted authority, by name', async () => {
    const receiver = await opened(startReceiver((res) => res.end('ok'), { tls: true }));
    const lookup = namesFrom({ 'receiver.example': ['127.0.0.1'] });
    const sender = attempter({ ca: testCertificate, lookup });
    const result = await sender.attempt(delivery(`https://receiver.example:${receiver.port}/hook`));
    expect(result).toMatchObject({ status: 200, error: null });
  });

  it('localhost is found without DNS', async () => {
    const receiver = await opened(startReceiver((res) => res.end('ok')));
    const result = await attempter().attempt(delivery(`http://localhost:${receiver.port}/`));
    expect(result).toMatchObject({ status: 200 });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i is a failed attempt and its target is never visited',
    async (status) => {
      const target = await opened(startReceiver((res) => res.end()));
      const receiver = await opened(
        startReceiver((res) => res.writeHead(status, { location: target.url }).end()),
      );
      const result = await attempter().attempt(delivery(receiver.url));
      expect(result).toMatchObject({ status, error: 'redirect', responseHeaders: { location: target.url } });
      expect(target.connections).toBe(0);
    },
  );
});

describe('Retry-After', () => {
  const answered = async (value: string) => {
    const receiver = await opened(startReceiver((res) => res.writeHead(429, { 'retry-after': value }).end()));
    return (await attempter().attempt(delivery(receiver.url))).retryAfterMs;
  };

  it('in seconds', async () => {
    await expect(answered('5')).resolves.toBe(5_000);
    await expect(answered('0')).resolves.toBe(0);
    await expect(answered('2592000')).resolves.toBe(2_592_000_000);
  });

  it('as a date', async () => {
    const wait = await answered(new Date(Date.now() + 3_600_000).toUTCString());
    expect(wait).toBeGreaterThan(3_500_000);
    expect(wait).toBeLessThanOrEqual(3_600_000);
    // C's asctime, the oldest of HTTP's forms, names no zone.
    const [day, date, month, year, time] = new Date(Date.now() + 3_600_000).toUTCString().split(/,? /);
    const asctime = await answered(`${day} ${month} ${date} ${time} ${year}`);
    expect(asctime).toBeGreaterThan(3_500_000);
    expect(asctime).toBeLessThanOrEqual(3_600_000);
    // More than a year is a year; the schedule's own limit is a day.
    await expect(answered('Sat Nov  6 08:49:37 2094')).resolves.toBe(366 * 86_400_000);
  });

  it.each([
    'soon',
    '-5',
    '1.5',
    '5 s',
    '1e3',
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Xyz, 99 Foo 2099 99:99:99 GMT',
  ])('%p is no wait: ignored', async (value) => {
    await expect(answered(value)).resolves.toBeNull();
  });

  it('a number without end stays a number', async () => {
    const wait = await answered('9'.repeat(300));
    expect(Number.isSafeInteger(wait)).toBe(true);
  });
});

describe("the receiver's body", () => {
  it('is kept up to 16 KiB and read to its end, so that the connection lives on', async () => {
    const receiver = await opened(startReceiver((res) => res.end('x'.repeat(100_000))));
    const sender = attempter();
    const result = await sender.attempt(delivery(receiver.url));
    expect(result.responseBody).toBe('x'.repeat(16_384));
    await setImmediate();
    await sender.attempt(delivery(receiver.url));
    expect(receiver.connections).toBe(1);
  });

  it('of 1 GB counts as answered, leaves memory flat and ends the connection', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'y');
    let sent = 0;
    const receiver = await opened(
      startReceiver((res) => {
        const pour = () => {
          while (sent < 1024 && !res.destroyed) {
            sent += 1;
            if (!res.write(chunk)) return void res.once('drain', pour);
          }
          res.end();
        };
        pour();
      }),
    );
    const before = process.memoryUsage().rss;
    const result = await attempter().attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: 200, error: null });
    expect(result.responseBody).toHaveLength(16_384);
    expect(sent).toBeLessThan(100);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it.each([
    ['its own deadline', { timeoutMs: 4_000 }, 4_000],
    ['10 seconds, the deadline of every attempt', {}, 10_000],
  ])('that drips for ever after headers at once fails at %s', async (_which, options, deadline) => {
    const receiver = await opened(
      startReceiver((res) => {
        res.writeHead(200);
        const drip = setInterval(() => res.write('.'), 20);
        res.on('close', () => clearInterval(drip));
      }),
    );
    const result = await attempter(options).attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: null, error: 'timeout', responseBody: null });
    expect(result.errorDetail).toBe(`the response (200) did not end within ${deadline / 1_000} s`);
    expect(result.durationMs).toBeGreaterThanOrEqual(deadline - 10);
    expect(result.durationMs).toBeLessThan(deadline + SOON_MS);
  });

  it('with broken UTF-8 and NUL becomes text that the database can hold', async () => {
    const bytes = Buffer.from([0x61, 0x00, 0xff, 0xfe, 0xc3, 0x28, 0x62]);
    const receiver = await opened(startReceiver((res) => res.end(bytes)));
    const result = await attempter().attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: 200, responseBody: 'a\ufffd\ufffd\ufffd\ufffd(b' });
  });

  it('is not cut in the middle of a character', async () => {
    const receiver = await opened(startReceiver((res) => res.end('a' + 'é'.repeat(20_000))));
    const result = await attempter().attempt(delivery(receiver.url));
    expect(result.responseBody).toBe('a' + 'é'.repeat(8_191));
  });
});

describe('each failure has its own word', () => {
  it('dns: the name does not resolve', async () => {
    const result = await attempter({ lookup: namesFrom({}) }).attempt(delivery('https://gone.example/hook'));
    expect(result).toMatchObject({ status: null, error: 'dns', responseBody: null, retryAfterMs: null });
    expect(result.errorDetail).toContain('ENOTFOUND');
  });

  it('dns: the name exists without an address', async () => {
    const sender = attempter({ lookup: async () => [] });
    await expect(sender.attempt(delivery('https://empty.example/'))).resolves.toMatchObject({ error: 'dns' });
  });

  it('refused: the port is closed', async () => {
    const receiver = await startReceiver((res) => res.end());
    await receiver.close();
    await expect(attempter().attempt(delivery(receiver.url))).resolves.toMatchObject({ error: 'refused' });
    const byName = delivery(`http://localhost:${receiver.port}/`);
    await expect(attempter().attempt(byName)).resolves.toMatchObject({ error: 'refused' });
  });

  it('reset: the connection is dropped before the answer', async () => {
    const hangUp = await opened(startRawReceiver((socket) => socket.once('data', () => socket.end())));
    const reset = await opened(
      startRawReceiver((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    await expect(attempter().attempt(delivery(hangUp.url))).resolves.toMatchObject({ error: 'reset' });
    await expect(attempter().attempt(delivery(reset.url))).resolves.toMatchObject({ error: 'reset' });
  });

  it('reset: the connection is dropped in the middle of the body', async () => {
    const receiver = await opened(
      startRawReceiver((socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () => socket.end()),
        ),
      ),
    );
    await expect(attempter().attempt(delivery(receiver.url))).resolves.toMatchObject({
      status: null,
      error: 'reset',
    });
  });

  it('timeout: the receiver takes the request and says nothing', async () => {
    const receiver = await opened(startReceiver(() => undefined));
    const result = await attempter({ timeoutMs: 200 }).attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: null, error: 'timeout', errorDetail: 'no response within 0.2 s' });
  });

  it('timeout: the name server never answers', async () => {
    const sender = attempter({ timeoutMs: 200, lookup: () => new Promise(() => undefined) });
    await expect(sender.attempt(delivery('https://slow.example/'))).resolves.toMatchObject({
      error: 'timeout',
    });
  });

  it('tls: a self-signed certificate', async () => {
    const receiver = await opened(startReceiver((res) => res.end(), { tls: true }));
    const result = await attempter().attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: null, error: 'tls' });
    expect(receiver.received).toHaveLength(0);
  });

  it('tls: a certificate for another name', async () => {
    const receiver = await opened(startReceiver((res) => res.end(), { tls: true }));
    const sender = attempter({ ca: testCertificate, lookup: namesFrom({ 'other.example': ['127.0.0.1'] }) });
    const result = await sender.attempt(delivery(`https://other.example:${receiver.port}/`));
    expect(result).toMatchObject({ status: null, error: 'tls' });
    expect(receiver.received).toHaveLength(0);
  });

  it('tls: the port speaks plain HTTP', async () => {
    const receiver = await opened(startReceiver((res) => res.end()));
    const result = await attempter().attempt(delivery(receiver.url.replace('http:', 'https:')));
    expect(result).toMatchObject({ status: null, error: 'tls' });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a broken status line', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx-long: ${'h'.repeat(100_000)}\r\n\r\n`],
  ])('protocol: %s', async (_what, answer) => {
    const receiver = await opened(
      startRawReceiver((socket) => socket.once('data', () => socket.write(answer))),
    );
    await expect(attempter().attempt(delivery(receiver.url))).resolves.toMatchObject({ error: 'protocol' });
  });

  it('aborted: the attempt is called off, before or during', async () => {
    const receiver = await opened(startReceiver(() => callOff.abort()));
    const callOff = new AbortController();
    const sender = attempter();
    const during = await sender.attempt(delivery(receiver.url, { signal: callOff.signal }));
    expect(during).toMatchObject({ status: null, error: 'aborted' });
    const before = await sender.attempt(delivery(receiver.url, { signal: callOff.signal }));
    expect(before).toMatchObject({ status: null, error: 'aborted' });
    expect(receiver.received).toHaveLength(1);
  });

  it('aborted: the process stops', async () => {
    const receiver = await opened(startReceiver(() => void sender.close()));
    const sender = attempter();
    await expect(sender.attempt(delivery(receiver.url))).resolves.toMatchObject({
      status: null,
      error: 'aborted',
    });
  });

  it('never shows a secret, the body or the path', async () => {
    const receiver = await startReceiver((res) => res.end());
    await receiver.close();
    const url = `http://127.0.0.1:${receiver.port}/hook?token=hidden`;
    const result = JSON.stringify(await attempter().attempt(delivery(url)));
    expect(result).not.toMatch(/whsec_|hidden|otp\.sent/);
  });
});

describe('the request headers of an attempt', () => {
  it('are kept for a request that was sent and not answered', async () => {
    const receiver = await opened(startReceiver(() => undefined));
    const result = await attempter({ timeoutMs: 4_000 }).attempt(delivery(receiver.url));
    expect(result).toMatchObject({ error: 'timeout', requestHeaders: { 'webhook-id': deliveryId } });
    const hangUp = await opened(startRawReceiver((socket) => socket.once('data', () => socket.end())));
    const dropped = await attempter().attempt(delivery(hangUp.url));
    expect(dropped).toMatchObject({ error: 'reset', requestHeaders: { 'webhook-id': deliveryId } });
  });

  it('are null without an address, a connection or a TLS session', async () => {
    const closed = await startReceiver((res) => res.end());
    await closed.close();
    const selfSigned = await opened(startReceiver((res) => res.end(), { tls: true }));
    const lookup = namesFrom({});
    const unsent = { status: null, requestHeaders: null };
    const results = await Promise.all([
      attempter({ lookup }).attempt(delivery('https://gone.example/')),
      attempter().attempt(delivery(closed.url)),
      attempter().attempt(delivery(selfSigned.url)),
      attempter({ allowLocal: false }).attempt(delivery(closed.url)),
    ]);
    expect(results).toMatchObject(
      ['dns', 'refused', 'tls', 'forbidden_address'].map((error) => ({ ...unsent, error })),
    );
  });

  it('are null when the deadline passes before there is a connection', async () => {
    const noAddress = attempter({ timeoutMs: 300, lookup: () => new Promise(() => undefined) });
    // The port takes connections and never begins the TLS handshake.
    const mute = await opened(startRawReceiver((socket) => void socket.resume()));
    const results = await Promise.all([
      noAddress.attempt(delivery('https://slow.example/')),
      attempter({ timeoutMs: 300 }).attempt(delivery(mute.url.replace('http:', 'https:'))),
    ]);
    expect(results).toMatchObject(Array(2).fill({ status: null, error: 'timeout', requestHeaders: null }));
  });

  it('are null for an attempt that got no connection of its own', async () => {
    const firstArrived = new AbortController();
    const hanging = await opened(startReceiver(() => firstArrived.abort()));
    const sender = attempter({ connections: 1 });
    const callOff = new AbortController();
    const first = sender.attempt(delivery(hanging.url, { signal: callOff.signal }));
    const second = sender.attempt(delivery(hanging.url, { signal: firstArrived.signal }));
    expect(await second).toMatchObject({ error: 'aborted', requestHeaders: null });
    callOff.abort();
    expect(await first).toMatchObject({ error: 'aborted', requestHeaders: { 'webhook-id': deliveryId } });
    const late = await sender.attempt(delivery(hanging.url, { signal: callOff.signal }));
    expect(late).toMatchObject({ error: 'aborted', requestHeaders: null });
    expect(hanging.received).toHaveLength(1);
  });
});

describe('forbidden addresses at the dial', () => {
  const production = (addresses: string[][]) => {
    const calls = [...addresses];
    return attempter({ allowLocal: false, lookup: async () => calls.shift() ?? [] });
  };

  it('a saved http or loopback URL is not dialled once local receivers are off', async () => {
    const receiver = await opened(startReceiver((res) => res.end()));
    const result = await attempter({ allowLocal: false }).attempt(delivery(receiver.url));
    expect(result).toMatchObject({ status: null, error: 'forbidden_address' });
    expect(receiver.connections).toBe(0);
  });

  it('a name with one public and one private address is not dialled', async () => {
    const sender = production([['8.8.8.8', '127.0.0.1']]);
    const result = await sender.attempt(delivery('https://two.example/'));
    expect(result).toMatchObject({ status: null, error: 'forbidden_address' });
    expect(result.errorDetail).toBe('the URL points to a private network (loopback)');
  });

  it('a name that changes between check and dial is not dialled: the dial asks once and uses what it vetted', async () => {
    const receiver = await opened(startReceiver((res) => res.end(), { tls: true }));
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const lookup = async () => answers.shift() ?? ['127.0.0.1'];
    await expect(resolveAndVet('turn.example', { allowLocal: false }, lookup)).resolves.toEqual({ ok: true });
    const sender = attempter({ allowLocal: false, lookup });
    const result = await sender.attempt(delivery(`https://turn.example:${receiver.port}/`));
    expect(result).toMatchObject({ status: null, error: 'forbidden_address' });
    expect(receiver.connections).toBe(0);
  });

  it('one lookup per connection, and the address it gave is the one dialled', async () => {
    const receiver = await opened(startReceiver((res) => res.end('ok'), { tls: true }));
    let lookups = 0;
    const lookup = async () => [++lookups === 1 ? '127.0.0.1' : '10.0.0.1'];
    const sender = attempter({ lookup, ca: testCertificate });
    const input = delivery(`https://receiver.example:${receiver.port}/`);
    await expect(sender.attempt(input)).resolves.toMatchObject({ status: 200 });
    await setImmediate();
    await expect(sender.attempt(input)).resolves.toMatchObject({ status: 200 });
    expect(lookups).toBe(1);
    expect(receiver.connections).toBe(1);
  });
});

describe('neighbours', () => {
  it('a receiver that hangs on every connection does not hold up another', async () => {
    const hanging = await opened(startReceiver(() => undefined));
    const fine = await opened(startReceiver((res) => res.end('ok')));
    const sender = attempter({ connections: 4, timeoutMs: 60_000 });
    const stuck = Array.from({ length: 12 }, () => sender.attempt(delivery(hanging.url)));
    const results = await Promise.all(Array.from({ length: 20 }, () => sender.attempt(delivery(fine.url))));
    expect(results.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(hanging.connections).toBeLessThanOrEqual(4);
    await sender.close();
    for (const result of await Promise.all(stuck)) expect(result.error).toBe('aborted');
  });

  it('a project whose attempts hang on every connection does not delay another project at the same origin', async () => {
    const receiver = await opened(
      startReceiver((res, { headers }) => {
        if (headers['x-service-event'] === 'otp.sent') res.end('ok');
      }),
    );
    const sender = attempter({ connections: 4, timeoutMs: 60_000 });
    const hanging = delivery(receiver.url, { event: 'otp.verified' });
    const stuck = Array.from({ length: 12 }, () => sender.attempt(hanging));
    const neighbour = delivery(receiver.url, { projectId: '9b8b0b5e-0f3c-4d0f-8a36-3a5f3f1d2c77' });
    expect(await sender.attempt(neighbour)).toMatchObject({ status: 200 });
    expect(receiver.connections).toBeLessThanOrEqual(5);
    await sender.close();
    for (const result of await Promise.all(stuck)) expect(result.error).toBe('aborted');
  });

  it('attempts that wait for a connection to a hanging receiver end at their own deadline', async () => {
    const hanging = await opened(startReceiver(() => undefined));
    const sender = attempter({ connections: 1, timeoutMs: 1_000 });
    const attempts = Array.from({ length: 4 }, () => sender.attempt(delivery(hanging.url)));
    const results = await Promise.all(attempts);
    expect(results.map(({ error }) => error)).toEqual(Array(4).fill('timeout'));
    const durations = results.map(({ durationMs }) => durationMs);
    // One after the other they would end up to three deadlines apart.
    expect(Math.max(...durations) - Math.min(...durations)).toBeLessThan(2_000);
  });

  it('closing leaves no connection behind', async () => {
    const receiver = await opened(startReceiver((res) => res.end('ok')));
    const sender = attempter();
    await sender.attempt(delivery(receiver.url));
    expect(receiver.openSockets()).toBe(1);
    await sender.close();
    while (receiver.openSockets() > 0) await setImmediate();
  });
});
