import { uuidv7 } from '../../../src/base/lib/uuid';

const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

afterEach(() => {
  jest.restoreAllMocks();
});

test('a UUIDv7 has its time, version and variant', () => {
  const before = Date.now();
  const id = uuidv7();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  expect(timeOf(id)).toBeLessThanOrEqual(Date.now());
});

test('UUIDv7s are sorted, also within a millisecond and while the clock is set back', () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  const ids = Array.from({ length: 5_000 }, uuidv7);
  now.mockReturnValue(Date.now() - 120_000);
  ids.push(uuidv7(), uuidv7());
  expect(ids).toEqual([...new Set(ids)].sort());
});
