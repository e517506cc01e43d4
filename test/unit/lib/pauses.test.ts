import { createPauses } from '../../../src/base/lib/pauses';

/** Computes for a millisecond. */
function compute(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

test('loops that take long leave half of the process to others, however many they are', async () => {
  const began = performance.now();
  const loop = async () => {
    const pause = createPauses();
    for (let round = 0; round < 50; round += 1) {
      compute();
      await pause();
    }
  };
  await Promise.all([loop(), loop(), loop(), loop()]);
  const computed = 4 * 50;
  expect(performance.now() - began).toBeGreaterThan(1.5 * computed);
});
