import { recordOpening } from '../../../src/domains/login/queries/sessions';
import { createTestDatabase, type TestDatabase } from '../../support/database';

describe('openings of a static link', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const open = (platformUserId: string, updateId: number) =>
    recordOpening(database.pool, 'telegram', { platformUserId, updateId }, 5);

  it('are five a minute for each user', async () => {
    for (let update = 1; update <= 5; update += 1) expect(await open('a', update)).toBe(true);
    expect(await open('a', 6)).toBe(false);
    expect(await open('b', 7)).toBe(true);
  });

  it('count once, however often the update is handled while the platform is unavailable', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await open('c', 10)).toBe(true);
    for (let update = 11; update <= 14; update += 1) expect(await open('c', update)).toBe(true);
    expect(await open('c', 15)).toBe(false);
  });

  it('count once when two processes handle the update at the same time', async () => {
    const other = await database.pool.connect();
    try {
      await other.query('BEGIN');
      expect(await recordOpening(other, 'telegram', { platformUserId: 'd', updateId: 20 }, 5)).toBe(true);
      const second = open('d', 20);
      await other.query('COMMIT');
      expect(await second).toBe(true);
    } finally {
      other.release();
    }
    for (let update = 21; update <= 24; update += 1) expect(await open('d', update)).toBe(true);
    expect(await open('d', 25)).toBe(false);
  });
});
