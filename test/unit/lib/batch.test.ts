import { AsyncLocalStorage } from 'node:async_hooks';
import { createBatcher } from '../../../src/base/lib/batch';

const open: (() => void)[] = [];

// No call outlives its test.
afterEach(async () => {
  while (open.length > 0) {
    for (const end of open.splice(0)) end();
    await turn();
    await turn();
  }
});

/** A batcher whose calls end when the test ends them, at the latest after the test. */
function recorded(size: number) {
  const calls: { items: string[]; end: (error?: Error) => void }[] = [];
  const batcher = createBatcher<string, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((text) => `${text}!`)));
        calls.push({ items, end });
        open.push(end);
      }),
    { size },
  );
  return { calls, items: () => calls.map(({ items }) => items), write: batcher.write, stop: batcher.stop };
}

const turn = () => new Promise(setImmediate);

test('items of one turn form a batch, items that arrive meanwhile form the next, and each gets its own result', async () => {
  const { calls, write } = recorded(10);
  const first = ['a', 'b'].map((item) => write(item));
  await turn();
  const second = ['c', 'd', 'e'].map((item) => write(item));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([['a', 'b']]);
  calls[0]?.end();
  expect(await Promise.all(first)).toEqual(['a!', 'b!']);
  await turn();
  expect(calls[1]?.items).toEqual(['c', 'd', 'e']);
  calls[1]?.end();
  expect(await Promise.all(second)).toEqual(['c!', 'd!', 'e!']);
  void write('f');
  await turn();
  expect(calls[2]?.items).toEqual(['f']);
});

test('the next call is sent before the callers of the last one go on', async () => {
  const { calls, write, items } = recorded(10);
  const first = write('a');
  await turn();
  void write('b');
  const sentBefore = first.then(items);
  calls[0]?.end();
  expect(await sentBefore).toEqual([['a'], ['b']]);
});

test('a call carries no more than allowed', async () => {
  const { calls, write, items } = recorded(2);
  for (const item of ['a', 'b', 'c']) void write(item);
  await turn();
  expect(items()).toEqual([['a', 'b']]);
  calls[0]?.end();
  await turn();
  expect(items()).toEqual([['a', 'b'], ['c']]);
});

test('a failure reaches every item of its batch, and no other', async () => {
  const { calls, write } = recorded(2);
  const [failing, other, later] = ['a', 'b', 'c'].map((item) => write(item));
  await turn();
  calls[0]?.end(new Error('away'));
  expect(await Promise.allSettled([failing, other])).toEqual([
    expect.objectContaining({ status: 'rejected' }),
    expect.objectContaining({ status: 'rejected' }),
  ]);
  await turn();
  calls[1]?.end();
  expect(await later).toBe('c!');
});

test('a run that throws before it returns a promise fails its batch only', async () => {
  let calls = 0;
  const batcher = createBatcher<string>(
    () => {
      calls += 1;
      if (calls === 1) throw new Error('at once');
      return Promise.resolve();
    },
    { size: 1 },
  );
  await expect(batcher.write('a')).rejects.toThrow('at once');
  await expect(batcher.write('b')).resolves.toBeUndefined();
});

test('stop ends with the last call, and waits also for items that no call has taken yet', async () => {
  const { calls, write, stop, items } = recorded(2);
  const written = ['a', 'b', 'c'].map((item) => write(item));
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  await turn();
  expect(items()).toEqual([['a', 'b']]);
  calls[0]?.end();
  await turn();
  expect(items()).toEqual([['a', 'b'], ['c']]);
  expect(stopped).toBe(false);
  calls[1]?.end();
  await stopping;
  expect(await Promise.all(written)).toEqual(['a!', 'b!', 'c!']);
});

test('a batch runs in the context of no caller, neither of a writer nor of the one who created the batcher', async () => {
  const caller = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const batcher = caller.run('creator', () =>
    createBatcher<string>(
      () => {
        seen.push(caller.getStore());
        return Promise.resolve();
      },
      { size: 1 },
    ),
  );
  await caller.run('writer', () => batcher.write('a'));
  expect(seen).toEqual([undefined]);
});
