import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

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

/** A batch is the work of several callers, so it runs in the context of none, wherever its batcher was created. */
const ofNoCaller = new AsyncResource('batch');

/**
 * Turns many small writes into few large ones: items that arrive while a call is in flight share the next one, `size` at
 * most. `run` returns one result per item, in order, or nothing.
 */
export function createBatcher<Item, Result = void>(
  run: (items: Item[]) => Promise<Result[] | void>,
  { size }: { size: number },
): Batcher<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let draining: Promise<void> | null = null;

  async function drain(): Promise<void> {
    // Items of the same turn of the event loop share the first call.
    await nextTurn();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, size);
      const call = async () => run(batch.map(({ item }) => item));
      const [outcome] = await Promise.allSettled([call()]);
      // The next call is sent before the callers continue: a promise that is resolved runs its callbacks later.
      batch.forEach(({ resolve, reject }, i) => {
        if (outcome.status === 'rejected') reject(outcome.reason);
        else resolve(outcome.value?.[i] as Result);
      });
    }
    draining = null;
  }

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        draining ??= ofNoCaller.runInAsyncScope(drain);
      }),
    async stop() {
      while (draining) await draining;
    },
  };
}
