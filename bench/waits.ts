import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './calls';
import type { BenchEnvironment } from './environment';
import { untilArrived, type Publisher } from './publish';
import { wallClock, type BenchReceiver } from './receiver';

/** Slow enough that nothing queues. */
export const PER_SECOND = 25;

/** The ids at the receiver, by the ids that the sender gave. */
export type Ids = () => Promise<Map<string, string>>;

/** Publishes one event in a request, under an id of the sender's. */
export function singlePublisher(
  bench: BenchEnvironment,
  publisher: Publisher,
): { send: (eventId: string) => Promise<void>; ids: Ids } {
  const key = publisher.headers['authorization']?.replace('Bearer ', '') ?? '';
  return {
    async send(eventId) {
      const [given] = publisher.body(1).events as Record<string, unknown>[];
      await call(publisher.url, key, 'POST', '/v1/publish', { events: [{ ...given, event_id: eventId }] });
    },
    async ids() {
      const { rows } = await bench.service.core.pool.query<{ given: string; id: string }>(
        `SELECT p.id AS given, d.id FROM published_ids p JOIN deliveries d ON d.event_id = p.event_id WHERE p.project_id = $1`,
        [publisher.projectId],
      );
      return new Map(rows.map(({ given, id }) => [given, id]));
    },
  };
}

/** Milliseconds from each request to its receipt. */
export async function measureWaits(
  receiver: BenchReceiver,
  run: { name: string; send: (id: string) => Promise<void>; ids: Ids; seconds: number },
): Promise<number[]> {
  await receiver.take();
  const sentAt = new Map<string, number>();
  const running: Promise<void>[] = [];
  const started = performance.now();
  for (let i = 0; i < PER_SECOND * run.seconds; i += 1) {
    await sleep(Math.max(0, started + (i * 1000) / PER_SECOND - performance.now()));
    const given = `${run.name}-${i}`;
    sentAt.set(given, wallClock());
    running.push(run.send(given));
  }
  await Promise.all(running);
  const ids = await run.ids();
  const own = new Set([...sentAt.keys()].map((given) => ids.get(given) ?? ''));
  const { arrivals } = await untilArrived(receiver, own.size, own);
  return [...sentAt].map(([given, at]) => (arrivals.get(ids.get(given) ?? '') ?? Infinity) - at);
}
