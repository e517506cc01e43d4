import { reportText } from './report';
import { runChaos } from './run';

/** `npm run chaos -- [seconds] [seed]`; the same seed gives the same faults. */
async function main(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 180);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('usage: npm run chaos -- [seconds] [seed]');
  const started = Date.now();
  const report = await runChaos({
    seconds,
    seed,
    onProgress: (message) => {
      const at = ((Date.now() - started) / 1000).toFixed(1).padStart(6);
      process.stderr.write(`${at} s  ${message}\n`);
    },
  });
  process.stdout.write(`${reportText(report)}\n`);
  process.exitCode = report.invariants.every(({ holds }) => holds) ? 0 : 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
