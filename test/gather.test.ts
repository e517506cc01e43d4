import { createGatherer } from '../src/gather';

/** A call that ends when it is told to. */
function recorded(options: Parameters<typeof createGatherer<string, string>>[1]) {
  const calls: { key: string; items: string[]; end: (error?: Error) => void }[] = [];
  const gather = createGatherer<string, string>(
    (key, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `${item}!`)));
        calls.push({ key, items, end });
      }),
    options,
  );
  return { calls, gather };
}

const turn = () => new Promise(setImmediate);

test('an item alone goes at once; what comes meanwhile goes together, in order, each with its own result', async () => {
  const { calls, gather } = recorded({ most: 10 });
  const all = ['a', 'b', 'c'].map((item) => gather('k', item));
  expect(calls.map(({ items }) => items)).toEqual([['a']]);
  calls[0]?.end();
  await turn();
  expect(calls[1]?.items).toEqual(['b', 'c']);
  calls[1]?.end();
  expect(await Promise.all(all)).toEqual(['a!', 'b!', 'c!']);
  void gather('k', 'd');
  expect(calls[2]?.items).toEqual(['d']);
});

test('keys do not wait for each other, and a call carries no more than allowed', async () => {
  const { calls, gather } = recorded({ most: 2 });
  for (const item of ['a', 'b', 'c', 'd']) void gather('one', item);
  void gather('two', 'x');
  expect(calls.map(({ key, items }) => [key, ...items])).toEqual([
    ['one', 'a'],
    ['two', 'x'],
  ]);
  calls[0]?.end();
  await turn();
  calls[2]?.end();
  await turn();
  expect(calls.slice(2).map(({ items }) => items)).toEqual([['b', 'c'], ['d']]);
});

test('items with the same mark never go together', async () => {
  const { calls, gather } = recorded({ most: 10, mark: (item) => item.at(0) });
  for (const item of ['first', 'a1', 'b1', 'a2', 'b2']) void gather('k', item);
  calls[0]?.end();
  await turn();
  calls[1]?.end();
  await turn();
  expect(calls.slice(1).map(({ items }) => items)).toEqual([
    ['a1', 'b1'],
    ['a2', 'b2'],
  ]);
});

test('a failure reaches everybody whom it concerns, and nobody else', async () => {
  const { calls, gather } = recorded({ most: 10 });
  const alone = gather('k', 'a');
  const together = [gather('k', 'b'), gather('k', 'c')];
  calls[0]?.end();
  await turn();
  calls[1]?.end(new Error('away'));
  const later = gather('k', 'd');
  expect(await Promise.allSettled(together)).toEqual([
    expect.objectContaining({ status: 'rejected' }),
    expect.objectContaining({ status: 'rejected' }),
  ]);
  calls[2]?.end();
  expect([await alone, await later]).toEqual(['a!', 'd!']);
});
