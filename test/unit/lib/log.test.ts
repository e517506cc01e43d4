import { createLogger } from '../../../src/base/lib/log';
import { quietly } from '../../../src/base/lib/quiet-log';

function logged(write: (log: ReturnType<typeof createLogger>) => void): {
  text: string;
  line: Record<string, unknown>;
} {
  const lines: string[] = [];
  const log = createLogger(
    { HERALD_LOG_LEVEL: 'info', HERALD_LOG_FORMAT: 'json' },
    { destination: { write: (line: string) => void lines.push(line) } },
  );
  write(log);
  const text = lines.join('');
  return { text, line: JSON.parse(lines[0] ?? '{}') as Record<string, unknown> };
}

const apiKey = `hk_${'a'.repeat(40)}`;
const webhookSecret = `whsec_${'b+/b'.repeat(10)}bbb=`;
const formerWebhookSecret = `whsec_${'b'.repeat(43)}`;
const botToken = `1000001:${'c'.repeat(35)}`;

describe('a log line', () => {
  it('is one JSON object with level, time and message', () => {
    const { text, line } = logged((log) => log.info({ attempt: 2 }, 'sent'));
    expect(text.endsWith('\n')).toBe(true);
    expect(line).toMatchObject({ level: 'info', attempt: 2, msg: 'sent' });
    expect(new Date(String(line['time'])).getTime()).not.toBeNaN();
  });

  it('leaves out keys, codes, secrets, names and texts, wherever an object carries them', () => {
    const hidden = {
      authorization: 'hidden-1',
      api_key: 'hidden-2',
      code: 'hidden-3',
      secret: 'hidden-4',
      token: 'hidden-5',
      first_name: 'hidden-6',
      username: 'hidden-7',
      text: 'hidden-8',
      Authorization: 'hidden-9',
    };
    const { text, line } = logged((log) =>
      log.info({ ...hidden, a: hidden, b: { c: [{ d: { e: hidden } }] }, session_id: 's-1' }, 'event'),
    );
    expect(text).not.toContain('hidden');
    expect(line).toMatchObject({ code: '[redacted]', session_id: 's-1' });
  });

  it('leaves out secrets that are recognisable by their form, in any text and in errors', () => {
    const message = `GET https://api.telegram.org/bot${botToken}/getMe with ${apiKey}, ${webhookSecret} and ${formerWebhookSecret} failed`;
    const { text } = logged((log) => {
      log.warn(
        { err: new Error(message), note: message, url: 'postgres://herald:hunter2@db/herald' },
        'failed',
      );
    });
    for (const secret of [apiKey, webhookSecret, formerWebhookSecret, botToken, 'hunter2']) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toContain('b+/b');
    expect(text).toContain('postgres://herald:[redacted]@db/herald');
  });

  it('shows of an error its type, message, code and stack, and nothing that a library hung on it', () => {
    const err = Object.assign(new Error('refused'), {
      code: 'ECONNREFUSED',
      on: { payload: { chat_id: 42 } },
    });
    const { line } = logged((log) => log.error({ err, other: { cause: err } }, 'failed'));
    const shown = {
      type: 'Error',
      message: 'refused',
      error_code: 'ECONNREFUSED',
      stack: expect.any(String),
    };
    expect(line).toMatchObject({ err: shown, other: { cause: shown } });
    expect(JSON.stringify(line)).not.toContain('chat_id');
  });

  it('does not hang on an object that holds itself', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(logged((log) => log.info({ loop }, 'round')).line).toMatchObject({ msg: 'round' });
  });
});

test('the log of a terminal has one short line for each login and attempt, and none for requests', () => {
  const lines: Record<string, unknown>[] = [];
  const quiet = quietly({ write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const write = (level: string, fields: object) =>
    quiet.write(JSON.stringify({ level, time: '2026-01-15T10:30:00.000Z', ...fields }));
  write('info', { msg: 'request', route: '/v1/send', status: 200 });
  write('info', { msg: 'session settled', session_id: '1', status: 'pending' });
  write('info', { msg: 'session settled', session_id: '1', status: 'declined', reason: 'billing_blocked' });
  write('info', { msg: 'attempt', event: 'otp.sent', http_status: 502, delivery_status: 'pending', ms: 3 });
  write('info', { msg: 'stopping' });
  write('error', { msg: 'request', err: 'broken' });
  expect(lines.map(({ time: _, ...line }) => line)).toEqual([
    { level: 'info', msg: 'login declined (billing_blocked)' },
    { level: 'info', msg: 'delivery of otp.sent: 502, pending' },
    { level: 'info', msg: 'stopping' },
    { level: 'error', msg: 'request', err: 'broken' },
  ]);
});
