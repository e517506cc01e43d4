import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTimeout } from './timeout';

export interface BatchOptions<Item> {
  /** Items per call at most. */
  size: number;
  /** Items with different keys never share a call, and never wait for each other. */
  key?: (item: Item) => string;
  /** Of two items with the same value, the second goes with a later call. */
  distinct?: (item: Item) => string | undefined;
  /** A call that takes longer has failed, so that the items behind it are not held up for ever. */
  timeoutMs?: number;
}

export interface Batcher<Item, Result> {
  /** Resolves with the item's own result when its batch has been written. */
  write(item: Item): Promise<Result>;
  /** Resolves when everything has been written. */
  stop(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns many small writes into few large ones: items that arrive while a call of their key is in flight share the next
 * one. `run` returns one result per item, in order, or nothing.
 */
export function createBatcher<Item, Result = void>(
  run: (items: Item[]) => Promise<Result[] | void>,
  { size, key = () => '', distinct = () => undefined, timeoutMs }: BatchOptions<Item>,
): Batcher<Item, Result> {
  type Queue = Waiting<Item, Result>[];
  /** The keys that have a call in flight, or will have one in this turn of the event loop. */
  const queues = new Map<string, Queue>();
  const drains = new Set<Promise<void>>();

  function nextBatch(queue: Queue): Queue {
    const seen = new Set<string>();
    let count = 0;
    for (const { item } of queue.slice(0, size)) {
      const value = distinct(item);
      if (value !== undefined && seen.has(value)) break;
      if (value !== undefined) seen.add(value);
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function call(batch: Queue): Promise<Result[] | void> {
    const running = run(batch.map(({ item }) => item));
    return timeoutMs === undefined ? running : withTimeout(running, timeoutMs);
  }

  async function drain(name: string, queue: Queue): Promise<void> {
    // Items of the same turn of the event loop share the first call.
    await nextTurn();
    while (queue.length > 0) {
      const batch = nextBatch(queue);
      const [outcome] = await Promise.allSettled([call(batch)]);
      // The next call is sent before the callers go on: a promise that is resolved runs its callbacks later.
      batch.forEach(({ resolve, reject }, i) => {
        if (outcome.status === 'rejected') reject(outcome.reason);
        else resolve(outcome.value?.[i] as Result);
      });
    }
    queues.delete(name);
  }

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        const name = key(item);
        const queue = queues.get(name);
        if (queue) return void queue.push({ item, resolve, reject });
        const begun = [{ item, resolve, reject }];
        queues.set(name, begun);
        const drained = drain(name, begun).finally(() => drains.delete(drained));
        drains.add(drained);
      }),
    async stop() {
      while (drains.size > 0) await Promise.all(drains);
    },
  };
}

/** A batcher of calls that are keyed by their first argument. */
export function createGatherer<Item, Result>(
  run: (key: string, items: Item[]) => Promise<Result[]>,
  {
    most,
    mark,
    limitMs = 10_000,
  }: { most: number; mark?: (item: Item) => string | undefined; limitMs?: number },
): (key: string, item: Item) => Promise<Result> {
  const batcher = createBatcher<{ key: string; item: Item }, Result>(
    (items) =>
      run(
        items[0]?.key ?? '',
        items.map(({ item }) => item),
      ),
    { size: most, key: ({ key }) => key, distinct: ({ item }) => mark?.(item), timeoutMs: limitMs },
  );
  return (key, item) => batcher.write({ key, item });
}
