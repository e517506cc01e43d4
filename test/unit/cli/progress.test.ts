import { startProgress } from '../../../src/process/cli/progress';

function terminal(isTTY: boolean): { output: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const output = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  return { output, written };
}

test('people at a terminal see how far it is, and the line goes at the end', () => {
  const { output, written } = terminal(true);
  const progress = startProgress('sealing', output);
  progress.at(1, 4);
  progress.at(4, 4);
  progress.end();
  expect(written[0]).toMatch(/^\rsealing █{8}░{22} 1\/4 25 %/);
  expect(written[1]).toMatch(/^\rsealing █{30} 4\/4 100 %/);
  // Clears the line.
  expect(written.at(-1)?.startsWith('\r')).toBe(true);
});

test('it draws at most ten times a second, but always the last step', () => {
  jest.useFakeTimers();
  try {
    const { output, written } = terminal(true);
    const progress = startProgress('sealing', output);
    // A step every 3 ms: three seconds.
    for (let step = 1; step <= 1000; step += 1) {
      progress.at(step, 1000);
      jest.advanceTimersByTime(3);
    }
    expect(written).toHaveLength(31);
    expect(written.at(-1)).toContain('1000/1000');
  } finally {
    jest.useRealTimers();
  }
});

test('nothing of it reaches a log or a pipe', () => {
  const { output, written } = terminal(false);
  const progress = startProgress('sealing', output);
  progress.at(1, 2);
  progress.end();
  expect(written).toEqual([]);
});
