import pino from 'pino';
import { startRelay } from '../../../src/base/temporal/relay';
import { createLatency } from '../../../src/base/temporal/latency';
import { createStartWindow } from '../../../src/base/temporal/start-window';
import { eventually } from '../../support/eventually';

/** A window on a clock of its own, and how long its starts rested. */
function windowAt({ min, max }: { min: number; max: number }) {
  let now = 0;
  const rests: number[] = [];
  const latency = createLatency(() => now);
  const window = createStartWindow({
    min,
    max,
    slowMs: 100,
    latency,
    now: () => now,
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
  });
  /** Starts that are in flight together. */
  async function start(count: number, ms: number): Promise<void> {
    const ends: (() => void)[] = [];
    const running = Array.from({ length: count }, () =>
      window.measure(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    now += ms;
    ends.forEach((end) => end());
    await Promise.all(running);
    now += 1;
  }
  /** As many at once as may be, again and again. */
  async function fill(times: number, ms: number): Promise<void> {
    for (let time = 0; time < times; time += 1) await start(window.size(), ms);
  }
  return { window, rests, latency, start, fill, pass: (ms: number) => void (now += ms) };
}

test('begins with few, grows while starts are fast, and halves when they are slow, once for those of one time', async () => {
  const { window, start, fill } = windowAt({ min: 1, max: 16 });
  expect(window.size()).toBe(1);
  await fill(40, 10);
  expect(window.size()).toBe(16);
  await start(16, 500);
  expect(window.size()).toBe(8);
  for (const expected of [4, 2, 1, 1]) {
    await start(window.size(), 500);
    expect(window.size()).toBe(expected);
  }
  await fill(40, 10);
  await expect(window.measure(() => Promise.reject(new Error('unavailable')))).rejects.toThrow();
  expect(window.size()).toBe(8);
});

test('does not grow while it is not the limit', async () => {
  const { window, start } = windowAt({ min: 2, max: 16 });
  for (let time = 0; time < 40; time += 1) await start(1, 10);
  expect(window.size()).toBe(2);
});

test('starts that are slow with the fewest in flight rest', async () => {
  const { rests, start } = windowAt({ min: 1, max: 16 });
  await start(1, 10);
  await start(2, 200);
  expect(rests).toEqual([]);
  await start(1, 200);
  await start(1, 5_000);
  expect(rests).toEqual([600, 2_000]);
});

test('a server whose starts always take long is not slow, until they take longer', async () => {
  const { window, start, fill, pass, rests } = windowAt({ min: 1, max: 16 });
  await fill(40, 300);
  expect(window.size()).toBe(16);
  await start(16, 1_000);
  expect(window.size()).toBe(8);
  // It has become slower for good: what was fast is forgotten.
  for (let time = 0; time < 4; time += 1) {
    pass(4 * 60_000);
    await start(window.size(), 1_000);
  }
  rests.length = 0;
  await fill(40, 1_000);
  expect([window.size(), rests]).toEqual([16, []]);
});

test('the first starts of a flood are slow beside what the calls of logins took', async () => {
  const { window, latency, fill, rests } = windowAt({ min: 1, max: 16 });
  latency.note(15);
  await fill(10, 300);
  expect(window.size()).toBe(1);
  expect(rests).toHaveLength(10);
});

test('a relay has as many in flight as its window lets it', async () => {
  const window = createStartWindow({ min: 2, max: 4, slowMs: 3_600_000 });
  const ends: (() => void)[] = [];
  const relay = startRelay<number>({
    name: 'test',
    sweepMs: 3_600_000,
    concurrency: window.size,
    claim: (limit) => Promise.resolve(Array.from({ length: limit }, (_, n) => n)),
    start: () => window.measure(() => new Promise((resolve) => ends.push(resolve))),
    log: pino({ level: 'silent' }),
  });
  const endAll = () => ends.splice(0).forEach((end) => end());
  for (const inFlight of [2, 2, 3, 3, 4]) {
    await eventually(() => ends.length >= inFlight);
    endAll();
  }
  await eventually(() => window.size() === 4 && ends.length === 4);
  const stopped = relay.stop();
  endAll();
  await stopped;
});
