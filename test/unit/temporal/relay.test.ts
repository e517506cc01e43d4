import pino from 'pino';
import type { NotificationListener, Notifications } from '../../../src/db/notify';
import { createDueNoticeReader } from '../../../src/webhooks/due-notice';
import { startRelay, type Relay } from '../../../src/temporal/relay';
import { eventually } from '../../support/eventually';

const HOUR = 3_600_000;
const ENDPOINT = '7f9c24e8-3b12-4fef-91e0-3f1fbd5ac1b2';

let relay: Relay;
let looks: number;
let lastLook: { inPassing: boolean };
let tell: NotificationListener;
const notifications: Notifications = {
  on(_channel, listener) {
    tell = listener;
    return () => true;
  },
  stop: () => Promise.resolve(),
};

/** A relay that finds nothing, and counts how often it has looked; the look at its start is not counted. */
async function start(canWait?: (payload: string) => number | null): Promise<void> {
  looks = -1;
  relay = startRelay<never>({
    name: 'test',
    channel: 'test',
    ...(canWait ? { canWait } : {}),
    notifications,
    sweepMs: HOUR,
    concurrency: 1,
    claim(_limit, look) {
      looks += 1;
      lastLook = look;
      return Promise.resolve([]);
    },
    start: () => Promise.resolve(),
    log: pino({ level: 'silent' }),
  });
  await eventually(() => looks === 0);
  expect(lastLook).toEqual({ inPassing: false });
}

afterEach(() => relay.stop());

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a relay without patience looks at every notification', async () => {
  await start();
  tell('whatever');
  await eventually(() => looks === 1);
  await settled();
  tell(null);
  await eventually(() => looks === 2);
});

test('it hears neither what is not its business nor, before its time, what can wait', async () => {
  await start((payload) => (payload === 'not ours' ? null : Number(payload)));
  tell('not ours');
  tell('30');
  tell('31');
  await settled();
  expect(looks).toBe(0);
  // One look for both, made for them.
  await eventually(() => looks === 1);
  expect(lastLook).toEqual({ inPassing: false });
  await settled();
  tell('0');
  await eventually(() => looks === 2);
  expect(lastLook).toEqual({ inPassing: true });
});

test('after a lost connection it looks, whoever it was that could have waited', async () => {
  await start(() => HOUR);
  tell('anything');
  await settled();
  expect(looks).toBe(0);
  tell(null);
  await eventually(() => looks === 1);
});

describe('a notice of due deliveries', () => {
  const read = createDueNoticeReader('express', { heldBackMs: (id) => (id === ENDPOINT ? 250 : 0) });

  test.each([
    ['', 0],
    ['express', 0],
    ['any', 0],
    ['workflow', null],
    [`express ${ENDPOINT}`, 250],
    [`any ${ENDPOINT}`, 250],
    ['express another', 0],
    [`workflow ${ENDPOINT}`, null],
  ])('%p: %p', (payload, waitMs) => {
    expect(read(payload)).toBe(waitMs);
  });
});
