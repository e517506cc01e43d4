import fc from 'fast-check';
import { LATENCY_BOUNDS_MS, percentile } from '../../../src/domains/webhooks/queries/hours';

const buckets = LATENCY_BOUNDS_MS.length + 1;
const only = (index: number, count = 1) =>
  Array.from({ length: buckets }, (_, i) => (i === index ? count : 0));

test('nothing has no percentile', () => {
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile(only(0, 0), 0.95)).toBeNull();
});

test('a percentile is within the bounds of its bucket', () => {
  expect(percentile(only(0), 0.5)).toBeLessThanOrEqual(10);
  for (const [index, bound] of LATENCY_BOUNDS_MS.entries()) {
    const found = percentile(only(index + 1, 7), 0.95) ?? 0;
    expect(found).toBeGreaterThanOrEqual(bound);
    expect(found).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[index + 1] ?? 11_000);
  }
});

test('it lies where so many attempts are faster, and grows with the share', () => {
  const histogram = [90, 0, 0, 0, 9, 0, 0, 0, 0, 0, 1];
  expect(percentile(histogram, 0.5)).toBeLessThanOrEqual(10);
  expect(percentile(histogram, 0.95)).toBeGreaterThanOrEqual(100);
  expect(percentile(histogram, 0.95)).toBeLessThanOrEqual(250);
  expect(percentile(histogram, 1)).toBeGreaterThan(10_000);
  const counts = fc.array(fc.nat(1_000), { minLength: buckets, maxLength: buckets });
  fc.assert(fc.property(counts, (each) => (percentile(each, 0.5) ?? 0) <= (percentile(each, 0.95) ?? 0)));
});
