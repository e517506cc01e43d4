import { setTimeout as sleep } from 'node:timers/promises';
import { eventNames, eventRegistry, isPublished } from '../src/domains/events/contract';
import { newApiKey } from '../src/base/lib/tokens';
import { insertApiKey } from '../src/domains/projects/queries/keys';
import { call } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { killWorker, type Arrivals } from './killed-worker';
import { runLoad } from './load';
import { mean, percentile } from './numbers';
import { startBenchReceiver, wallClock, type BenchReceiver } from './receiver';
import type { Figure } from './table';

const SECONDS = 8;
const ROUNDS = 2;
const DRAIN_LIMIT_MS = 120_000;
const STEADY = { perSecond: 2_000, seconds: 30 };
const KILLED = { perSecond: 500, seconds: 10 };
const BATCH = 100;
const published = eventNames.filter(isPublished);

interface Setup {
  slug: string;
  endpoints: number;
  /** Of the receiver; default: one that answers at once. */
  path?: string;
  /** Default: that of the service. */
  lane?: 'express' | 'auto' | 'workflow';
}

export interface Publisher {
  projectId: string;
  /** A key with every scope but `publish`. */
  projectKey: string;
  endpointIds: string[];
  url: string;
  headers: Record<string, string>;
  /** A request body with that many events; each is for one endpoint, in turn. */
  body(events: number): { events: unknown[] };
}

/** `POST /v1/publish` end to end over HTTP, in the express lane: accepted and received events per second. */
export async function benchPublish(): Promise<Figure[]> {
  const measured = await rates();
  return [...measured, await killWorker({ name: 'published', ...KILLED, run: publishWhileKilled })];
}

async function rates(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  const goals = [
    { perRequest: 1, inFlight: 50, endpoints: 5, goal: 1_000 },
    { perRequest: 1, inFlight: 50, endpoints: 1, goal: 1_000 },
    { perRequest: BATCH, inFlight: 4, endpoints: 5, goal: 2_500 },
    { perRequest: BATCH, inFlight: 4, endpoints: 1, goal: 2_500 },
  ];
  try {
    const measured = goals.map(() => [] as { accepted: number; received: number }[]);
    // The first round is warm-up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, goal] of goals.entries()) {
        const slug = `bench-publish-${index}-${round}`;
        const result = await measureRate(bench, receiver, { ...goal, slug });
        if (round > 0) measured[index]?.push(result);
        await sleep(1_000);
      }
    }
    const figures = goals.map(({ perRequest, endpoints, goal }, index): Figure => {
      const results = measured[index] ?? [];
      const received = mean(results.map((each) => each.received));
      const accepted = mean(results.map((each) => each.accepted));
      return {
        name: `published events received per second, ${perRequest} in a request, ${endpoints} endpoint(s)`,
        value: `${received.toFixed(0)} (accepted ${accepted.toFixed(0)})`,
        baseline: `goal ${goal}`,
        ratio: received / goal,
        target: 1,
      };
    });
    return [...figures, ...(await steady(bench, receiver))];
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

export async function createPublisher(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  { slug, endpoints, path = '/hook', lane }: Setup,
): Promise<Publisher> {
  const project = await bench.createProject(slug);
  const url = bench.service.apiUrl ?? '';
  const names = published.slice(0, endpoints);
  const endpointIds: string[] = [];
  for (const name of names) {
    const body = { url: receiver.url + path, events: [name], ...(lane && { delivery_lane: lane }) };
    endpointIds.push((await call(url, project.api_key, 'POST', '/v1/webhooks', body))['id'] ?? '');
  }
  const { key, hash, hint } = newApiKey();
  await insertApiKey(bench.service.core.pool, { project_id: project.id, hash, hint, scopes: ['publish'] });
  let turn = 0;
  return {
    projectId: project.id,
    projectKey: project.api_key,
    endpointIds,
    url,
    headers: { authorization: `Bearer ${key}` },
    body: (events) => ({
      events: Array.from({ length: events }, () => {
        const name = names[turn++ % names.length] ?? published[0] ?? 'ticket.created';
        return { event: name, data: eventRegistry[name].example };
      }),
    }),
  };
}

/** How a publisher sends: events in a request, and requests in flight. */
interface Shape {
  perRequest: number;
  inFlight: number;
  endpoints: number;
  seconds?: number;
}

export interface PublishedRate {
  accepted: number;
  received: number;
  count: number;
}

/** With a project of its own. */
export async function measureRate(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  options: Setup & Shape,
): Promise<PublishedRate> {
  return measurePublisher(await createPublisher(bench, receiver, options), receiver, options);
}

/** From the first request to the last arrival. */
export async function measurePublisher(
  { url, headers, body }: Publisher,
  receiver: BenchReceiver,
  { perRequest, inFlight, endpoints, seconds = SECONDS }: Shape,
): Promise<PublishedRate> {
  await receiver.take();
  const began = wallClock();
  const requests = Array.from({ length: endpoints }, () => ({
    method: 'POST' as const,
    path: '/v1/publish',
    body: body(perRequest),
  }));
  const load = await runLoad({ url, headers, requests, repeat: true }, { concurrency: inFlight, seconds });
  const accepted = (load.byStatus['202'] ?? 0) * perRequest;
  if (accepted !== load.count * perRequest) throw new Error(`refused: ${JSON.stringify(load.byStatus)}`);
  const { count, last } = await untilArrived(receiver, accepted);
  if (count !== accepted) throw new Error(`${accepted - count} of ${accepted} events did not arrive`);
  return { accepted: load.perSecond * perRequest, received: count / ((last - began) / 1000), count };
}

/** Waits for that many first arrivals, of `ids` where they are given. */
export async function untilArrived(receiver: BenchReceiver, expected: number, ids?: Set<string>) {
  const arrivals = new Map<string, number>();
  let [last, repeated] = [0, 0];
  const limit = wallClock() + DRAIN_LIMIT_MS;
  while (arrivals.size < expected && wallClock() < limit) {
    for (const [id, times] of await receiver.take()) {
      if (ids && !ids.has(id)) continue;
      repeated += times.length - (arrivals.has(id) ? 0 : 1);
      for (const time of times) {
        arrivals.set(id, Math.min(time, arrivals.get(id) ?? Infinity));
        last = Math.max(last, time);
      }
    }
    await sleep(20);
  }
  return { arrivals, count: arrivals.size, last, repeated };
}

/** Publishes at a steady rate; every request is started at its time, whether or not earlier ones have ended. */
async function publishSteadily(
  { url, headers, body }: Publisher,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  each?: () => void,
): Promise<number> {
  const perRequest = perSecond >= 1_000 ? BATCH : 10;
  const requests = (perSecond * seconds) / perRequest;
  const started = performance.now();
  const running: Promise<unknown>[] = [];
  for (let i = 0; i < requests; i += 1) {
    await sleep(Math.max(0, started + (i * perRequest * 1000) / perSecond - performance.now()));
    const key = headers['authorization']?.replace('Bearer ', '') ?? '';
    running.push(call(url, key, 'POST', '/v1/publish', body(perRequest)));
    each?.();
  }
  await Promise.all(running);
  return requests * perRequest;
}

/** From the start of the transaction that accepted an event to its arrival, and the memory of the process meanwhile. */
async function steady(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Figure[]> {
  process.stderr.write(`  ${STEADY.perSecond} events per second for ${STEADY.seconds} seconds\n`);
  const publisher = await createPublisher(bench, receiver, { slug: 'bench-publish-steady', endpoints: 5 });
  await receiver.take();
  const memory: number[] = [];
  const count = await publishSteadily(publisher, STEADY, () => memory.push(process.memoryUsage().rss));
  const { arrivals } = await untilArrived(receiver, count);
  const { rows } = await bench.service.core.pool.query<{ id: string; at: number }>(
    'SELECT id, (extract(epoch FROM created_at) * 1000)::float8 AS at FROM deliveries WHERE project_id = $1',
    [publisher.projectId],
  );
  const waits = rows.map(({ id, at }) => (arrivals.get(id) ?? Infinity) - at).sort((a, b) => a - b);
  const part = (n: number) =>
    mean(memory.slice(Math.floor((memory.length * n) / 5), Math.floor((memory.length * (n + 1)) / 5)));
  return [
    {
      name: `published, ${STEADY.perSecond}/s for ${STEADY.seconds} s: p99 from accept to receipt`,
      value: `${percentile(waits, 0.99).toFixed(0)} ms (p50 ${percentile(waits, 0.5).toFixed(0)} ms)`,
      baseline: 'goal 1000 ms',
      ratio: percentile(waits, 0.99) / 1_000,
      target: 1,
      atMost: true,
    },
    {
      name: 'memory of the process meanwhile, last fifth beside the third',
      value: `${(part(4) / 2 ** 20).toFixed(0)} MB`,
      baseline: `${(part(2) / 2 ** 20).toFixed(0)} MB`,
      ratio: part(4) / part(2),
      target: 1.1,
      atMost: true,
    },
  ];
}

async function publishWhileKilled(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Arrivals> {
  const publisher = await createPublisher(bench, receiver, { slug: 'bench-publish-killed', endpoints: 1 });
  await receiver.take();
  const expected = await publishSteadily(publisher, KILLED);
  const { count, repeated } = await untilArrived(receiver, expected);
  return { expected, lost: expected - count, repeated };
}
