import { noResponse, PlatformError } from '../../../src/domains/bots/platform-error';
import { allowedCalls, botPace } from '../../../src/domains/bots/queries/pace';
import { buttonReference, outgoing, parseButtonReference } from '../../../src/domains/messages/buttons';
import { afterFailure, OutageBackoff } from '../../../src/domains/broadcasts/after-failure';

describe('what a refusal means for a message of a broadcast', () => {
  const refusal = (reason: PlatformError['reason'], status?: number, retryAfterMs?: number) =>
    new PlatformError(reason, 'text', {
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  const systemError = (code: string) => noResponse(Object.assign(new Error('x'), { code }));

  it.each([
    ['429', refusal('rate_limited', 429, 7_000), { next: 'retry', countsAsTry: false }],
    ['429 without a time', refusal('rate_limited', 429), { next: 'retry', countsAsTry: false }],
    ['502', refusal('platform_unavailable', 502), { next: 'retry', countsAsTry: true }],
    ['a refused connection', systemError('ECONNREFUSED'), { next: 'retry', countsAsTry: true }],
    ['a cut connection', systemError('ECONNRESET'), { next: 'failed' }],
    ['a time-out', noResponse(Object.assign(new Error('x'), { name: 'TimeoutError' })), { next: 'failed' }],
    ['a blocked bot', refusal('user_blocked_bot', 403), { next: 'failed' }],
  ] as const)('%s', (_, error, after) => {
    expect(afterFailure(error, 0)).toEqual(after);
  });

  it('gives up after five refusals, but never because of a 429', () => {
    expect(afterFailure(refusal('platform_unavailable', 500), 3).next).toBe('retry');
    expect(afterFailure(refusal('platform_unavailable', 500), 4).next).toBe('failed');
    expect(afterFailure(refusal('rate_limited', 429), 1_000).next).toBe('retry');
  });

  it('waits longer with every wave of failures, and not for each failure of one wave', () => {
    const backoff = new OutageBackoff();
    expect(backoff.failed(0, 100)).toBe(250);
    expect(backoff.failed(50, 110)).toBeNull();
    expect(backoff.failed(400, 500)).toBe(500);
    expect(backoff.failed(1_200, 1_300)).toBe(1_000);
    backoff.succeeded();
    expect(backoff.failed(5_000, 5_100)).toBe(250);
    for (let i = 1; i <= 20; i += 1) backoff.failed(10_000 * i, 10_000 * i + 1);
    expect(backoff.failed(900_000, 900_001)).toBe(30_000);
  });
});

describe('a pace', () => {
  const pace = botPace(25);

  it('gives one message when its moment has come, and none before', () => {
    expect(allowedCalls(-0.01, 10, pace)).toBe(0);
    expect(allowedCalls(0, 10, pace)).toBe(1);
    expect(allowedCalls(0.2, 10, pace)).toBe(6);
    expect(allowedCalls(0.2, 3, pace)).toBe(3);
  });

  it('makes up for less than half a second that was idle', () => {
    expect(allowedCalls(1_000, 1_000, pace)).toBe(11);
  });
});

describe('the buttons of a message', () => {
  const id = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';

  it('carry a reference that names the message and the place, within 64 bytes', () => {
    const reference = buttonReference(id, 8);
    expect(Buffer.byteLength(reference)).toBeLessThanOrEqual(64);
    expect(parseButtonReference(reference)).toEqual({ messageId: id, index: 8 });
    for (const forged of ['', 'b:', `b:${id}:0`, `${reference}0`, `y:${'x'.repeat(32)}`]) {
      expect(parseButtonReference(forged)).toBeNull();
    }
  });

  it('are counted over all rows', () => {
    const content = {
      text: 'x',
      format: 'plain' as const,
      buttons: [[{ text: 'a', url: 'https://a.example' }], [{ text: 'b', data: 'secret' }]],
    };
    expect(outgoing(content, id).buttons).toEqual([
      [{ text: 'a', url: 'https://a.example' }],
      [{ text: 'b', data: buttonReference(id, 1) }],
    ]);
  });
});
