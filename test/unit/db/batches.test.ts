import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../../../src/db/batches';

/** Notes when it runs, for as long as the promise takes. */
function watched(notes: string[], name: string, work: Promise<unknown>) {
  return async () => {
    notes.push(`${name} begins`);
    await work;
    notes.push(`${name} ends`);
    return name;
  };
}

test('batches run one after another, in the order in which they came, also after one that failed', async () => {
  const notes: string[] = [];
  const first = inTurn(watched(notes, 'first', sleep(20)));
  const failing = inTurn(() => Promise.reject(new Error('no connection')));
  const last = inTurn(watched(notes, 'last', sleep(1)));
  await expect(failing).rejects.toThrow('no connection');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(notes).toEqual(['first begins', 'first ends', 'last begins', 'last ends']);
});

test('the next batch waits for as long as the one before it took', async () => {
  const endOf = (ms: number) => inTurn(() => sleep(ms).then(() => performance.now()));
  const [firstEnd, began] = await Promise.all([endOf(100), inTurn(() => Promise.resolve(performance.now()))]);
  expect(began - firstEnd).toBeGreaterThan(90);
});
