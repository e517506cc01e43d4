import { EventEmitter } from 'node:events';
import type { Context } from 'koa';
import { AppError } from '../../../src/base/contract/errors';
import { watchAccess } from '../../../src/base/http/access-watch';
import { createBearerAuthentication } from '../../../src/domains/projects/authenticate';
import { createAuthentication } from '../../../src/domains/projects/dashboard-session';

const open = () => Object.assign(new EventEmitter(), { closed: false });

describe('a key that is revoked', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each(Array.from({ length: 20 }, (_, index) => 50 * index))(
    'ends an open response within a second: revoked after %i ms',
    async (revokedAfter) => {
      const rows = [{ active: true, key_id: 'k' }];
      const pool = { query: () => Promise.resolve({ rows: [...rows] }) };
      const authenticate = createBearerAuthentication({ pool, log: null } as never);
      const ctx = { res: open(), get: () => 'Bearer hk_x' } as unknown as Context;
      await authenticate(ctx);
      const signal = watchAccess(ctx, async () => void (await authenticate(ctx)));
      await jest.advanceTimersByTimeAsync(revokedAfter);
      expect(signal.aborted).toBe(false);
      rows.length = 0;
      await jest.advanceTimersByTimeAsync(999);
      expect(signal.reason).toMatchObject({ code: 'invalid_api_key' });
    },
  );
});

test('the streams of a browser share one check of their session, which still ends them within a second', async () => {
  jest.useFakeTimers();
  try {
    const rows = [{ id: 'p', active: true, role: 'owner', is_unseen: false }];
    const query = jest.fn(() => Promise.resolve({ rows: [...rows] }));
    const authenticate = createAuthentication(
      { pool: { query }, publicUrl: () => 'http://herald.example', log: null } as never,
      () => Promise.reject(new Error('no key')),
    );
    const streams = Array.from({ length: 20 }, () => {
      const ctx = {
        res: open(),
        get: () => '',
        cookies: { get: () => 'secret' },
        protocol: 'http',
        host: 'herald.example',
      } as unknown as Context;
      return watchAccess(ctx, async () => void (await authenticate(ctx, 'p')));
    });
    await jest.advanceTimersByTimeAsync(10_000);
    // One stream alone asks 25 times.
    expect(query.mock.calls.length).toBeLessThanOrEqual(25);
    expect(query.mock.calls.length).toBeGreaterThanOrEqual(10);
    rows.length = 0;
    await jest.advanceTimersByTimeAsync(999);
    expect(streams.map(({ reason }) => (reason as AppError | undefined)?.code)).toEqual(
      streams.map(() => 'unauthorized'),
    );
  } finally {
    jest.useRealTimers();
  }
});

test('an open response ends with the caller’s access, not with a fault of the check', async () => {
  const lost = new AppError('unauthorized');
  const outcomes = [
    () => Promise.reject(new Error('the database is unavailable')),
    () => Promise.reject(lost),
  ];
  const signal = watchAccess({ res: open() } as unknown as Context, () => outcomes.shift()!());
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  expect(signal.reason).toBe(lost);
  expect(outcomes).toEqual([]);
});

test('it ends with its connection, and is not checked any more', async () => {
  const res = open();
  const check = jest.fn(() => Promise.resolve());
  const signal = watchAccess({ res } as unknown as Context, check);
  res.emit('close');
  expect(signal.aborted).toBe(true);
  expect(check).not.toHaveBeenCalled();
});
