import { createRateLimiter } from '../../../src/base/http/rate-limiter';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const limiter = (name: string) => createRateLimiter(database.pool, { name, points: 5, seconds: 60 });
const pointsOf = async (name: string) =>
  (
    await database.pool.query(
      `SELECT key, points FROM request_counters WHERE key LIKE $1 || ':%' ORDER BY key`,
      [name],
    )
  ).rows;

test('amounts that arrive together are counted for each key, in order, and one that does not fit is refused', async () => {
  const count = limiter('together');
  const counted = await Promise.all([count('a', 2), count('b'), count('a', 4), count('a', 3), count('b', 5)]);
  expect(counted.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 3],
    [true, 4],
    [false, 3],
    [true, 0],
    [false, 4],
  ]);
  for (const { msBeforeNext } of counted) {
    expect(msBeforeNext).toBeGreaterThan(50_000);
    expect(msBeforeNext).toBeLessThanOrEqual(60_000);
  }
  expect(await pointsOf('together')).toEqual([
    { key: 'together:a', points: 9 },
    { key: 'together:b', points: 6 },
  ]);
});

test('a key over its limit is refused without a statement until its window ends', async () => {
  const count = limiter('refused');
  await count('a', 6);
  expect(await count('a')).toMatchObject({ allowed: false, remaining: 0 });
  expect(await pointsOf('refused')).toEqual([{ key: 'refused:a', points: 6 }]);
});

test('a window that has ended begins anew', async () => {
  await limiter('ended')('a', 4);
  await database.pool.query(`UPDATE request_counters SET expire = expire - 60001 WHERE key = 'ended:a'`);
  const { allowed, remaining, msBeforeNext } = await limiter('ended')('a', 2);
  expect([allowed, remaining]).toEqual([true, 3]);
  expect(msBeforeNext).toBeGreaterThan(50_000);
});

test('processes that count the same keys at once miss none', async () => {
  const keys = Array.from({ length: 50 }, (_, i) => `key-${i}`);
  const processes = Array.from({ length: 4 }, () =>
    createRateLimiter(database.pool, { name: 'shared', points: 1_000, seconds: 60 }),
  );
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(
      processes.flatMap((count, i) => (i % 2 ? keys : [...keys].reverse()).map((key) => count(key))),
    );
  }
  const counted = await pointsOf('shared');
  expect(counted).toHaveLength(keys.length);
  expect(new Set(counted.map(({ points }) => points))).toEqual(new Set([40]));
});
