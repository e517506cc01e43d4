import pino from 'pino';
import { startRelay } from '../../../src/temporal/relay';
import { createStartWindow } from '../../../src/temporal/start-window';
import { eventually } from '../../support/eventually';

test('slow starts halve what may be in flight, once for those of one time, and fast ones restore it', async () => {
  let now = 0;
  const window = createStartWindow({ min: 2, max: 16, slowMs: 100, now: () => now });
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
  expect(window.size()).toBe(16);
  await start(16, 500);
  expect(window.size()).toBe(8);
  for (const expected of [4, 2, 2]) {
    await start(2, 500);
    expect(window.size()).toBe(expected);
  }
  await start(3, 10);
  expect(window.size()).toBe(5);
  await start(20, 10);
  expect(window.size()).toBe(16);
  await expect(window.measure(() => Promise.reject(new Error('unavailable')))).rejects.toThrow();
  expect(window.size()).toBe(8);
});

test('a server whose starts always take long gets more than the fewest, until they take longer', async () => {
  let now = 0;
  const window = createStartWindow({ min: 2, max: 16, slowMs: 100, now: () => now });
  const start = (ms: number) =>
    window.measure(() => {
      now += ms;
      return Promise.resolve();
    });
  for (let count = 0; count < 30; count += 1) await start(300);
  expect(window.size()).toBe(16);
  await start(900);
  expect(window.size()).toBe(8);
});

test('a relay whose starts are slow soon has few in flight', async () => {
  const window = createStartWindow({ min: 2, max: 16, slowMs: -1 });
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
  await eventually(() => ends.length === 16);
  endAll();
  await eventually(() => ends.length === 8);
  endAll();
  await eventually(() => ends.length === 4);
  endAll();
  await eventually(() => ends.length === 2);
  const stopped = relay.stop();
  endAll();
  await stopped;
});
