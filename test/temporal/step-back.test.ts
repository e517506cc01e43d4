import { createStepBack } from '../../src/temporal/step-back';

function timing() {
  let now = 0;
  const stepBack = createStepBack(() => now);
  return {
    stepBack,
    pass: (ms: number) => void (now += ms),
    work: (ms: number) => stepBack.timed(async () => void (now += ms)),
  };
}

test('work at its usual pace never rests', async () => {
  const { stepBack, work } = timing();
  for (const ms of [10, 12, 9, 15, 11]) {
    await work(ms);
    expect(stepBack.isResting()).toBe(false);
  }
});

test('slow work rests in proportion to what it lost, and not longer than two seconds', async () => {
  const { stepBack, pass, work } = timing();
  await work(10);
  await work(30);
  pass(700);
  expect(stepBack.isResting()).toBe(true);
  pass(150);
  expect(stepBack.isResting()).toBe(false);
  await work(5_000);
  pass(1_999);
  expect(stepBack.isResting()).toBe(true);
  pass(1);
  expect(stepBack.isResting()).toBe(false);
});

test('what stays slow for long becomes the usual', async () => {
  const { stepBack, pass, work } = timing();
  await work(10);
  for (let i = 0; i < 1_000; i += 1) {
    await work(40);
    pass(2_000);
  }
  await work(40);
  expect(stepBack.isResting()).toBe(false);
});

test('a failure is passed on and teaches nothing', async () => {
  const { stepBack, pass, work } = timing();
  await work(10);
  const failing = stepBack.timed(async () => {
    pass(5_000);
    throw new Error('away');
  });
  await expect(failing).rejects.toThrow('away');
  expect(stepBack.isResting()).toBe(false);
});

test('waiting for the end of a rest takes as long as the rest', async () => {
  const stepBack = createStepBack();
  await stepBack.rested();
  await stepBack.timed(async () => undefined);
  const began = performance.now();
  await stepBack.timed(() => new Promise((resolve) => setTimeout(resolve, 5)));
  await stepBack.rested();
  expect(stepBack.isResting()).toBe(false);
  expect(performance.now() - began).toBeGreaterThan(5);
});
