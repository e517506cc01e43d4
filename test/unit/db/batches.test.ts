import { setTimeout as sleep } from 'node:timers/promises';
import { inReadTurn, inRequestTurn, inTurn } from '../../../src/base/db/batches';
import { onBehalfOf, ShareExceeded } from '../../../src/base/db/project-share';

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
  const first = inTurn('a', watched(notes, 'first', sleep(20)));
  const failing = inTurn('a', () => Promise.reject(new Error('no connection')));
  const last = inTurn('a', watched(notes, 'last', sleep(1)));
  await expect(failing).rejects.toThrow('no connection');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(notes).toEqual(['first begins', 'first ends', 'last begins', 'last ends']);
});

test('the next batch waits for as long as the one before it took', async () => {
  const endOf = (ms: number) => inTurn('a', () => sleep(ms).then(() => performance.now()));
  const [firstEnd, began] = await Promise.all([
    endOf(100),
    inTurn('b', () => Promise.resolve(performance.now())),
  ]);
  expect(began - firstEnd).toBeGreaterThan(90);
});

test('a project with many batches takes turns with one that has a few', async () => {
  const notes: string[] = [];
  const runs = ['a1', 'a2', 'a3', 'b1'].map((name) =>
    inTurn(name.slice(0, 1), watched(notes, name, sleep(5))),
  );
  await Promise.all(runs);
  expect(notes.filter((note) => note.endsWith('begins'))).toEqual([
    'a1 begins',
    'b1 begins',
    'a2 begins',
    'a3 begins',
  ]);
});

test('a batch that waits too long is given up, and those behind it go on', async () => {
  const notes: string[] = [];
  const first = inTurn('a', watched(notes, 'first', sleep(100)));
  const impatient = inTurn('a', watched(notes, 'impatient', sleep(1)), { waitMs: 20 });
  const last = inTurn('a', watched(notes, 'last', sleep(1)));
  await expect(impatient).rejects.toThrow(ShareExceeded);
  await Promise.all([first, last]);
  expect(notes).toEqual(['first begins', 'first ends', 'last begins', 'last ends']);
});

test('large requests of a project and long reads of any run one at a time, and rest only in the company of others', async () => {
  const timesOf = async () => {
    const began = performance.now();
    await sleep(100);
    return { began, ended: performance.now() };
  };
  const pausesBetweenTwo = async () => {
    const requests = [inRequestTurn('alone', timesOf), inRequestTurn('alone', timesOf)] as const;
    const reads = [inReadTurn('alone', timesOf), inReadTurn('silent', timesOf)] as const;
    const pairs = await Promise.all([Promise.all(requests), Promise.all(reads)]);
    return pairs.map(([one, other]) => other.began - one.ended);
  };
  const alone = await pausesBetweenTwo();
  expect(Math.min(...alone)).toBeGreaterThanOrEqual(0);
  await onBehalfOf('another', () => Promise.resolve());
  await onBehalfOf('alone', () => Promise.resolve());
  for (const [n, inCompany] of (await pausesBetweenTwo()).entries()) {
    expect(inCompany).toBeGreaterThan(90);
    expect(inCompany).toBeGreaterThan(alone[n]!);
  }
});

test.each([
  ['read', inReadTurn],
  ['batch', inTurn],
])('a slow %s holds up those of its project, and those of others only for a moment', async (_kind, turn) => {
  const notes: string[] = [];
  let end = () => {};
  const slow = turn('slow', () => new Promise<void>((resolve) => (end = resolve)));
  const next = turn('slow', watched(notes, 'next', Promise.resolve()));
  await turn('other', watched(notes, 'other', Promise.resolve()));
  expect(notes).toEqual(['other begins', 'other ends']);
  end();
  await Promise.all([slow, next]);
  expect(notes.at(-1)).toBe('next ends');
});
