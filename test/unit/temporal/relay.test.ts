import pino from 'pino';
import type { NotificationListener, Notifications } from '../../../src/base/db/notify';
import { startRelay, type Relay } from '../../../src/base/temporal/relay';
import { eventually } from '../../support/eventually';

const HOUR = 3_600_000;

let relay: Relay;
let notify: NotificationListener;
const notifications: Notifications = {
  on(_channel, listener) {
    notify = listener;
    return () => true;
  },
  stop: () => Promise.resolve(),
};

function start(claim: (limit: number) => Promise<string[]>, work: (item: string) => Promise<void>): void {
  relay = startRelay<string>({
    name: 'test',
    channel: 'test',
    notifications,
    sweepMs: HOUR,
    concurrency: 2,
    claim,
    start: work,
    log: pino({ level: 'silent' }),
  });
}

afterEach(() => relay.stop());

test('a relay claims when it starts, at every notification and after a lost connection', async () => {
  let claims = 0;
  start(
    () => {
      claims += 1;
      return Promise.resolve([]);
    },
    () => Promise.resolve(),
  );
  await eventually(() => claims === 1);
  notify('');
  await eventually(() => claims === 2);
  notify(null);
  await eventually(() => claims === 3);
});

test('no more are in flight than it has room for, and a free place is filled without a notification', async () => {
  const waiting = ['a', 'b', 'c', 'd'];
  const limits: number[] = [];
  const done: (() => void)[] = [];
  const started: string[] = [];
  start(
    (limit) => {
      limits.push(limit);
      return Promise.resolve(waiting.splice(0, limit));
    },
    (item) => {
      started.push(item);
      return new Promise((resolve) => done.push(resolve));
    },
  );
  await eventually(() => started.length === 2);
  notify('');
  expect(started).toEqual(['a', 'b']);
  done[0]?.();
  await eventually(() => started.length === 3);
  expect(limits.every((limit) => limit >= 1 && limit <= 2)).toBe(true);
  done.slice(1).forEach((finish) => finish());
  await eventually(() => started.length === 4);
  done.forEach((finish) => finish());
});

test('the end of an item claims again only if the last claim was full', async () => {
  const waiting = ['a', 'b', 'c'];
  const limits: number[] = [];
  const done = new Map<string, () => void>();
  start(
    (limit) => {
      limits.push(limit);
      return Promise.resolve(waiting.splice(0, limit));
    },
    (item) => new Promise((resolve) => done.set(item, resolve)),
  );
  await eventually(() => done.size === 2);
  done.get('a')?.();
  await eventually(() => done.has('c'));
  expect(limits).toEqual([2, 1]);
  done.get('b')?.();
  await eventually(() => limits.length === 3);
  // That claim found nothing, so the end of the last item makes none.
  done.get('c')?.();
  await new Promise(setImmediate);
  notify('');
  await eventually(() => limits.length >= 4);
  expect(limits).toEqual([2, 1, 1, 2]);
});

test('a failed start does not end the relay', async () => {
  const items = ['bad', 'good'];
  const started: string[] = [];
  start(
    () => Promise.resolve(items.splice(0, 1)),
    (item) => {
      started.push(item);
      return item === 'bad' ? Promise.reject(new Error('away')) : Promise.resolve();
    },
  );
  await eventually(() => started.includes('bad'));
  notify('');
  await eventually(() => started.includes('good'));
});
