import pg from 'pg';
import { notifyChannels } from '../../../src/base/db/notify';
import { eventually } from '../../support/eventually';
import { startReceiver, type Receiver } from '../../support/receiver';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint, emitExample } from './fixture';

let service: TestService;
let project: TestProject;
let receiver: Receiver;
let listener: pg.Client;
/** The channels of notifications. */
const heard: string[] = [];
/** The statements of this process, by name or text. */
const sent: string[] = [];
const { query } = pg.Client.prototype;

beforeAll(async () => {
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { name?: string; text?: string }];
    sent.push(typeof first === 'string' ? first : (first.name ?? first.text ?? ''));
    return (query as (...given: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  // Its own: all of its statements and notifications are counted.
  service = await startTestService({ roles: 'api,worker', queues: ['deliveries'] });
  project = await service.createProject();
  receiver = await startReceiver((res) => res.end('ok'));
  listener = new pg.Client({ connectionString: service.database.url });
  await listener.connect();
  listener.on('notification', ({ channel }) => heard.push(channel));
  for (const channel of Object.values(notifyChannels)) await listener.query(`LISTEN ${channel}`);
});
afterAll(async () => {
  pg.Client.prototype.query = query;
  await listener?.end();
  await receiver?.close();
  await service?.stop();
});
beforeEach(() => {
  heard.length = 0;
});

const claims = () => sent.filter((name) => /^(claim_(workflow|express|slotless)|lock_endpoints_)/.test(name));
const sweeps = () => sent.filter((name) => name.includes('AS asked (work, is_due)')).length;
/** Lists that open pages follow are named at most once a second. */
const wakeUps = () => heard.filter((channel) => channel !== notifyChannels.changes);

test('an event without a matching endpoint wakes no relay and sends no NOTIFY', async () => {
  await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
  // The worker's start has claimed once.
  await eventually(() => claims().length >= 3);
  sent.length = 0;
  await emitExample(service, project, 'auth.completed');
  await eventually(() => sweeps() >= 2);
  expect(claims()).toEqual([]);
  expect(sent).not.toContain('notify');
  expect(wakeUps()).toEqual([]);
});

test('an event wakes the lanes of its endpoints only', async () => {
  await createEndpoint(project, receiver.url, { events: ['broadcast.completed'], delivery_lane: 'express' });
  await emitExample(service, project, 'otp.sent');
  await eventually(() => heard.includes(notifyChannels.defaultLane));
  expect(wakeUps()).toEqual([notifyChannels.defaultLane]);
  heard.length = 0;
  await emitExample(service, project, 'broadcast.completed');
  await eventually(() => heard.includes(notifyChannels.expressLane));
  expect(wakeUps()).toEqual([notifyChannels.expressLane]);
});

test('streams are woken only while there are any', async () => {
  const following = new AbortController();
  const response = await fetch(`${service.url}/v1/webhooks/stream`, {
    headers: { authorization: `Bearer ${project.api_key}`, accept: 'text/event-stream' },
    signal: following.signal,
  });
  expect(response.status).toBe(200);
  try {
    await eventually(() => heard.includes(notifyChannels.followers));
    await emitExample(service, project, 'auth.completed');
    await eventually(() => heard.includes(notifyChannels.events));
    expect(wakeUps().sort()).toEqual([notifyChannels.events, notifyChannels.followers].sort());
  } finally {
    following.abort();
  }
});
