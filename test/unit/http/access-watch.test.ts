import { EventEmitter } from 'node:events';
import type { Context } from 'koa';
import { AppError } from '../../../src/contract/errors';
import { CHECK_MS, watchAccess } from '../../../src/http/access-watch';
import { CACHE_MS } from '../../../src/projects/authenticate';

test('a revocation is noticed within a second: the age of a cached key, the period of the checks and a query', () => {
  expect(CACHE_MS + CHECK_MS).toBeLessThan(1_000);
});

const open = () => Object.assign(new EventEmitter(), { closed: false });

test('an open response ends with the caller’s access, not with a fault of the check', async () => {
  const lost = new AppError('unauthorized');
  const outcomes = [() => Promise.reject(new Error('the database is away')), () => Promise.reject(lost)];
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
