import { withTimeout } from './timeout';

export interface BatchOptions<Item> {
  /** Items per call at most. A batch that is full is sent at once. */
  size: number;
  /** How long an item waits for others; without it, until the end of the current turn of the event loop. */
  delayMs?: number;
  /** Calls in flight at most, for each key. Items that arrive meanwhile share the next call. */
  concurrency?: number;
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
  /** Sends what waits and resolves when every call has ended. */
  stop(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Queue<Item, Result> {
  key: string;
  waiting: Waiting<Item, Result>[];
  inFlight: number;
  cancelTimer?: (() => void) | undefined;
}

/** Turns many small writes into few large ones. `run` returns one result per item, in order, or nothing. */
export function createBatcher<Item, Result = void>(
  run: (items: Item[]) => Promise<Result[] | void>,
  options: BatchOptions<Item>,
): Batcher<Item, Result> {
  const { size, delayMs, concurrency = 1, timeoutMs } = options;
  const queues = new Map<string, Queue<Item, Result>>();
  const calls = new Set<Promise<void>>();

  function queueOf(item: Item): Queue<Item, Result> {
    const key = options.key?.(item) ?? '';
    const queue = queues.get(key) ?? { key, waiting: [], inFlight: 0 };
    queues.set(key, queue);
    return queue;
  }

  function nextBatch({ waiting }: Queue<Item, Result>): Waiting<Item, Result>[] {
    const seen = new Set<string>();
    let count = 0;
    for (const { item } of waiting.slice(0, size)) {
      const value = options.distinct?.(item);
      if (value !== undefined && seen.has(value)) break;
      if (value !== undefined) seen.add(value);
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function runLimited(batch: Waiting<Item, Result>[]): Promise<Result[] | void> {
    const running = run(batch.map(({ item }) => item));
    return timeoutMs === undefined ? running : withTimeout(running, timeoutMs);
  }

  function send(queue: Queue<Item, Result>): void {
    queue.cancelTimer?.();
    queue.cancelTimer = undefined;
    while (queue.waiting.length > 0 && queue.inFlight < concurrency) {
      queue.inFlight += 1;
      const call = write(queue, nextBatch(queue)).finally(() => calls.delete(call));
      calls.add(call);
    }
  }

  async function write(queue: Queue<Item, Result>, batch: Waiting<Item, Result>[]): Promise<void> {
    const [outcome] = await Promise.allSettled([runLimited(batch)]);
    queue.inFlight -= 1;
    // The next call is sent before the callers of this one go on, so that both happen at the same time.
    if (queue.inFlight === concurrency - 1) send(queue);
    if (queue.inFlight === 0 && queue.waiting.length === 0) queues.delete(queue.key);
    batch.forEach(({ resolve, reject }, i) => {
      if (outcome.status === 'rejected') reject(outcome.reason);
      else resolve(outcome.value?.[i] as Result);
    });
  }

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        const queue = queueOf(item);
        queue.waiting.push({ item, resolve, reject });
        if (queue.inFlight === concurrency) return;
        if (queue.waiting.length >= size) send(queue);
        else queue.cancelTimer ??= schedule(() => send(queue), delayMs);
      }),
    async stop() {
      for (const queue of queues.values()) send(queue);
      while (calls.size > 0) await Promise.all(calls);
    },
  };
}

function schedule(work: () => void, delayMs: number | undefined): () => void {
  if (delayMs === undefined) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
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
