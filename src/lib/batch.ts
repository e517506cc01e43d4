export interface GatherOptions<Item> {
  /** Items of one call at most. */
  most: number;
  /** Two items with the same mark never go together. */
  mark?: (item: Item) => string | undefined;
  /** How long a call may take. One that takes longer has failed: those who wait behind it must not wait for ever. */
  limitMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * While a call for a key is under way, the next items of that key gather, and go together when it is back. An item
 * that comes alone waits for nobody; in a flood each call carries many.
 */
export function createGatherer<Item, Result>(
  run: (key: string, items: Item[]) => Promise<Result[]>,
  { most, mark = () => undefined, limitMs = 10_000 }: GatherOptions<Item>,
): (key: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Waiting<Item, Result>[]>();

  function takeFrom(queue: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const marks = new Set<string>();
    let count = 0;
    for (const { item } of queue.slice(0, most)) {
      const own = mark(item);
      if (own !== undefined && marks.has(own)) break;
      if (own !== undefined) marks.add(own);
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function work(key: string, queue: Waiting<Item, Result>[]): Promise<void> {
    while (queue.length > 0) {
      const taken = takeFrom(queue);
      const items = taken.map(({ item }) => item);
      const [outcome] = await Promise.allSettled([limited(run(key, items), limitMs)]);
      // Where others wait, their call is sent before these go on: the two then happen at the same time.
      if (queue.length > 0) setImmediate(answer, taken, outcome);
      else answer(taken, outcome);
    }
    queues.delete(key);
  }

  function answer(taken: Waiting<Item, Result>[], outcome: PromiseSettledResult<Result[]>): void {
    taken.forEach(({ resolve, reject }, i) => {
      if (outcome.status === 'fulfilled') resolve(outcome.value[i] as Result);
      else reject(outcome.reason);
    });
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue) return void queue.push(waiting);
      const begun = [waiting];
      queues.set(key, begun);
      // Whatever this turn of the event loop still brings goes along.
      setImmediate(() => void work(key, begun));
    });
}

async function limited<T>(call: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' });
    timer = setTimeout(reject, ms, error).unref();
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
