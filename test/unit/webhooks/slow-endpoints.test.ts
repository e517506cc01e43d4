import { createSlowEndpoints } from '../../../src/webhooks/slow-endpoints';

function timing() {
  let now = 5_000;
  const slow = createSlowEndpoints(() => now);
  const allowed = (id: string) => {
    const { ids, counts } = slow.allowances({ inPassing: false });
    return counts[ids.indexOf(id)];
  };
  const begin = (id: string, count: number) => {
    for (let i = 0; i < count; i += 1) slow.begun(id);
  };
  return {
    slow,
    pass: (ms: number) => void (now += ms),
    allowed,
    begin,
    /** Begins whatever it may, looking ten times a second; answers how many and how many at most in one look. */
    run(id: string, seconds: number) {
      let [begun, most] = [0, 0];
      for (let i = 0; i < seconds * 10; i += 1) {
        const count = allowed(id) ?? 1;
        begin(id, count);
        begun += count;
        most = Math.max(most, count);
        now += 100;
      }
      return { begun, most };
    },
  };
}

const succeeded = (durationMs: number) => ({ succeeded: true, durationMs });
const failed = (durationMs: number) => ({ succeeded: false, durationMs });

test('an endpoint that answers within two seconds is not held back', () => {
  const { slow, begin, pass } = timing();
  begin('e', 20);
  pass(500);
  slow.note('e', succeeded(1_999));
  begin('e', 50);
  expect(slow.allowances({ inPassing: false })).toEqual({ ids: [], counts: [] });
});

test('one that succeeds slowly gets as many as its slots allow, one after another', () => {
  const { slow, run } = timing();
  slow.note('e', succeeded(8_000));
  // Twenty slots of eight seconds each: two and a half a second.
  expect(run('e', 8)).toEqual({ begun: 20, most: 1 });
});

test('one that has not answered for half a second gets one a second until it does', () => {
  const { slow, run, pass, allowed, begin } = timing();
  begin('e', 5);
  expect(slow.allowances({ inPassing: false }).ids).toEqual([]);
  pass(499);
  expect(slow.allowances({ inPassing: false }).ids).toEqual([]);
  pass(501);
  // The second that it was silent has brought one more.
  expect(run('e', 8)).toEqual({ begun: 9, most: 2 });
  slow.note('e', succeeded(30));
  expect(allowed('e')).toBeUndefined();
  begin('e', 20);
  expect(allowed('e')).toBeUndefined();
});

test('one that fails slowly gets fewer with each failure, down to one in eight seconds', () => {
  const { slow, run, pass } = timing();
  slow.note('e', failed(10_000));
  expect(run('e', 4).begun).toBe(8);
  slow.note('e', failed(10_000));
  expect(run('e', 4).begun).toBe(4);
  for (let i = 0; i < 10; i += 1) slow.note('e', failed(10_000));
  pass(8_000);
  // The last of these seconds of waiting counts for the first one.
  expect(run('e', 80)).toEqual({ begun: 11, most: 1 });
});

test('who is held back knows for how long', () => {
  const { slow, pass, begin, allowed } = timing();
  expect(slow.heldBackMs('e')).toBe(0);
  begin('e', 1);
  pass(499);
  expect(slow.heldBackMs('e')).toBe(0);
  for (let i = 0; i < 10; i += 1) slow.note('e', failed(10_000));
  begin('e', 1);
  expect(slow.heldBackMs('e')).toBeGreaterThan(6_000);
  expect(allowed('e')).toBe(0);
  pass(slow.heldBackMs('e'));
  // A moment of its own.
  expect(slow.heldBackMs('e')).toBe(1);
  expect(allowed('e')).toBe(1);
  begin('e', 1);
  slow.note('e', failed(20));
  expect(slow.heldBackMs('e')).toBe(0);
});

test('one that hangs never begins in a look that was made for others; one that succeeds slowly does', () => {
  const { slow, pass, begin, allowed } = timing();
  const inPassing = () => slow.allowances({ inPassing: true }).counts;
  begin('e', 1);
  pass(2_000);
  expect([allowed('e'), inPassing()]).toEqual([2, [0]]);
  slow.note('e', failed(10_000));
  expect([allowed('e'), inPassing()]).toEqual([3, [0]]);
  slow.note('e', succeeded(10_000));
  expect([allowed('e'), inPassing()]).toEqual([3, [3]]);
  expect(slow.heldBackMs('e')).toBe(0);
});

test('the first quick answer, even a refusal, ends it at once; a slow success lets its slots be used again', () => {
  const { slow, pass, allowed, run } = timing();
  for (let i = 0; i < 10; i += 1) slow.note('e', failed(10_000));
  slow.note('e', failed(20));
  expect(allowed('e')).toBeUndefined();
  for (let i = 0; i < 10; i += 1) slow.note('e', failed(10_000));
  pass(4_000);
  slow.note('e', succeeded(4_000));
  expect(run('e', 4).begun).toBeGreaterThanOrEqual(20);
});

test('who looks once a second loses nothing, and who looks after a minute gets no burst', () => {
  const { slow, pass, allowed, begin } = timing();
  slow.note('e', succeeded(10_000));
  begin('e', allowed('e') ?? 0);
  for (let second = 0; second < 5; second += 1) {
    pass(1_000);
    expect(allowed('e')).toBe(2);
    begin('e', 2);
  }
  pass(60_000);
  expect(allowed('e')).toBe(3);
  begin('e', 3);
  expect(allowed('e')).toBe(0);
});

test('endpoints are held back each for itself, and the longest unheard of are forgotten', () => {
  const { slow, allowed } = timing();
  slow.note('e', failed(10_000));
  slow.begun('f');
  expect(slow.allowances({ inPassing: false }).ids).toEqual(['e']);
  for (let i = 0; i < 10_000; i += 1) slow.note(`other-${i}`, failed(10_000));
  expect(allowed('e')).toBeUndefined();
  expect(allowed('other-9999')).toBe(1);
});
