import { createGatherer } from '../../../src/lib/batch';

const open: (() => void)[] = [];

// A call that nobody ended would fail by its time limit in the middle of another test.
afterEach(async () => {
  while (open.length > 0) {
    for (const end of open.splice(0)) end();
    await turn();
    await turn();
  }
});

/** A call that ends when it is told to, at the latest with its test. */
function recorded(options: Parameters<typeof createGatherer<string, string>>[1]) {
  const calls: { key: string; items: string[]; end: (error?: Error) => void }[] = [];
  const gather = createGatherer<string, string>(
    (key, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `${item}!`)));
        calls.push({ key, items, end });
        open.push(end);
      }),
    options,
  );
  return { calls, gather };
}

const turn = () => new Promise(setImmediate);

test('items of one turn form a batch, items that arrive meanwhile form the next, and each gets its own result', async () => {
  const { calls, gather } = recorded({ most: 10 });
  const first = ['a', 'b'].map((item) => gather('k', item));
  await turn();
  const second = ['c', 'd', 'e'].map((item) => gather('k', item));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([['a', 'b']]);
  calls[0]?.end();
  expect(await Promise.all(first)).toEqual(['a!', 'b!']);
  await turn();
  expect(calls[1]?.items).toEqual(['c', 'd', 'e']);
  calls[1]?.end();
  expect(await Promise.all(second)).toEqual(['c!', 'd!', 'e!']);
  void gather('k', 'f');
  await turn();
  expect(calls[2]?.items).toEqual(['f']);
});

test('the next batch is sent before the callers of the last one continue', async () => {
  const { calls, gather } = recorded({ most: 10 });
  const first = gather('k', 'a');
  await turn();
  void gather('k', 'b');
  const sentBefore = first.then(() => calls.map(({ items }) => items));
  calls[0]?.end();
  expect(await sentBefore).toEqual([['a'], ['b']]);
});

test('a batch that never returns fails, and the batches behind it continue', async () => {
  const { calls, gather } = recorded({ most: 10, limitMs: 20 });
  const first = gather('k', 'a');
  await turn();
  const second = gather('k', 'b');
  await expect(first).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  calls[1]?.end();
  expect(await second).toBe('b!');
});

test('keys do not wait for each other, and a call carries no more than allowed', async () => {
  const { calls, gather } = recorded({ most: 2 });
  for (const item of ['a', 'b', 'c']) void gather('one', item);
  void gather('two', 'x');
  await turn();
  expect(calls.map(({ key, items }) => [key, ...items])).toEqual([
    ['one', 'a', 'b'],
    ['two', 'x'],
  ]);
  calls[0]?.end();
  await turn();
  expect(calls[2]?.items).toEqual(['c']);
});

test('items with the same mark never go together', async () => {
  const { calls, gather } = recorded({ most: 10, mark: (item) => item.at(0) });
  for (const item of ['a1', 'b1', 'a2', 'b2']) void gather('k', item);
  await turn();
  calls[0]?.end();
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([
    ['a1', 'b1'],
    ['a2', 'b2'],
  ]);
});

test('a failure reaches every caller of its batch and no other', async () => {
  const { calls, gather } = recorded({ most: 2 });
  const [failing, other, later] = ['a', 'b', 'c'].map((item) => gather('k', item));
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
