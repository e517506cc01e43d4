import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './numbers';
import { wallClock, type BenchReceiver } from './receiver';

/** Starts one delivery; returns its id at the receiver and the start time. */
export type Begin = () => Promise<{ id: string; at: number }>;

export interface Latency {
  /** Milliseconds from start to arrival, ascending; Infinity if it never arrived. */
  waits: number[];
  p50: number;
  p99: number;
  /** Arrivals per second, from the first start to the last arrival. */
  perSecond: number;
  lost: number;
  repeated: number;
}

const ARRIVE_LIMIT_MS = 60_000;

/** Maximum throughput with `inFlight` callers: deliveries per second from the first call to the last arrival. */
export async function measureRate(
  receiver: BenchReceiver,
  begin: Begin,
  { count, inFlight }: { count: number; inFlight: number },
): Promise<number> {
  await receiver.take();
  const began = wallClock();
  const ids = new Set<string>();
  let left = count;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) ids.add((await begin()).id);
    }),
  );
  const arrivals = await untilArrived(receiver, ids);
  const last = Math.max(...[...arrivals.values()].map(([first]) => first ?? 0));
  // Deliveries that did not arrive do not count.
  return arrivals.size / ((last - began) / 1000);
}

/** Latency at a steady rate: the time from each start to its arrival. */
export async function measureLatency(
  receiver: BenchReceiver,
  begin: Begin,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Latency> {
  await receiver.take();
  const startTimes = new Map<string, number>();
  const running: Promise<void>[] = [];
  const started = performance.now();
  for (let i = 0; i < perSecond * seconds; i += 1) {
    await sleep(Math.max(0, started + (i * 1000) / perSecond - performance.now()));
    running.push(begin().then(({ id, at }) => void startTimes.set(id, at)));
  }
  await Promise.all(running);
  const arrivals = await untilArrived(receiver, new Set(startTimes.keys()));
  const waits: number[] = [];
  let [earliest, latest] = [Infinity, 0];
  for (const [id, at] of startTimes) {
    const [first] = arrivals.get(id) ?? [];
    waits.push((first ?? Infinity) - at);
    if (first === undefined) continue;
    earliest = Math.min(earliest, at);
    latest = Math.max(latest, first);
  }
  waits.sort((a, b) => a - b);
  return {
    waits,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    perSecond: arrivals.size / ((latest - earliest) / 1000),
    lost: startTimes.size - arrivals.size,
    repeated: [...startTimes.keys()].filter((id) => (arrivals.get(id)?.length ?? 0) > 1).length,
  };
}

async function untilArrived(receiver: BenchReceiver, ids: Set<string>): Promise<Map<string, number[]>> {
  const arrived = new Map<string, number[]>();
  const deadline = Date.now() + ARRIVE_LIMIT_MS;
  for (;;) {
    for (const [id, times] of await receiver.take()) {
      if (ids.has(id)) arrived.set(id, [...(arrived.get(id) ?? []), ...times]);
    }
    if (arrived.size >= ids.size || Date.now() > deadline) return arrived;
    await sleep(20);
  }
}

/** For a bare workflow, time is measured from the call that starts it. */
export function bareBegin(start: (id: string) => Promise<void>): Begin {
  return async () => {
    const id = randomUUID();
    const at = wallClock();
    await start(id);
    return { id, at };
  };
}
