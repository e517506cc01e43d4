import { createStepBack } from '../../../src/login/step-back';

const flooded = async () => true;

function timing() {
  let now = 0;
  const stepBack = createStepBack(() => now);
  return {
    stepBack,
    pass: (ms: number) => void (now += ms),
    work: (ms: number) => stepBack.timed(async () => void (now += ms)),
    /** Whether the next piece has to wait. */
    async rests(): Promise<boolean> {
      let asked = false;
      await stepBack.rested(async () => {
        asked = true;
        return false;
      });
      return asked;
    },
  };
}

test('work at its usual pace never rests', async () => {
  const { work, rests } = timing();
  for (const ms of [10, 12, 9, 13, 11]) {
    await work(ms);
    expect(await rests()).toBe(false);
  }
});

test('slow work rests for a hundred times what it lost', async () => {
  const { work, pass, rests } = timing();
  await work(10);
  await work(20);
  pass(900);
  expect(await rests()).toBe(true);
  pass(100);
  expect(await rests()).toBe(false);
});

test('a rest is over after two seconds at the latest', async () => {
  const { work, pass, rests } = timing();
  await work(10);
  await work(60_000);
  pass(1_999);
  expect(await rests()).toBe(true);
  pass(1);
  expect(await rests()).toBe(false);
});

test('the rest ends with the flood', async () => {
  const { stepBack, work } = timing();
  await work(10);
  await work(60_000);
  let looks = 0;
  await stepBack.rested(async () => {
    looks += 1;
    return looks < 3;
  });
  expect(looks).toBe(3);
});

test('what stays slow for long becomes the usual', async () => {
  const { pass, work, rests } = timing();
  await work(10);
  for (let i = 0; i < 1_000; i += 1) {
    await work(40);
    pass(2_000);
  }
  await work(40);
  expect(await rests()).toBe(false);
});

test('a failure is passed on and teaches nothing', async () => {
  const { stepBack, pass, work, rests } = timing();
  await work(10);
  const failing = stepBack.timed(async () => {
    pass(5_000);
    throw new Error('away');
  });
  await expect(failing).rejects.toThrow('away');
  expect(await rests()).toBe(false);
});

test('waiting for the end of a rest takes as long as the rest', async () => {
  const stepBack = createStepBack();
  await stepBack.rested(flooded);
  await stepBack.timed(async () => undefined);
  await stepBack.timed(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const began = performance.now();
  await stepBack.rested(flooded);
  expect(performance.now() - began).toBeGreaterThan(100);
});
