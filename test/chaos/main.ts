import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { reportMarkdown, reportText } from './report';
import { runChaos } from './run';

/**
 * `npm run chaos -- [--minutes 3] [--seed N] [--report FILE]`; the same seed gives the same faults. As root it also steps clocks,
 * fills the disk of the database and lets DNS, messengers and receivers fail, with all domains under load.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      report: { type: 'string' },
    },
  });
  const seconds = Number(values.minutes) * 60;
  const seed = Number(values.seed);
  if (!(seconds > 0) || !Number.isInteger(seed)) {
    throw new Error('usage: npm run chaos -- [--minutes N] [--seed N] [--report FILE]');
  }
  const started = Date.now();
  const report = await runChaos({
    seconds,
    seed,
    // A disk can be mounted by root only.
    everything: process.getuid?.() === 0,
    onProgress: (message) => {
      const at = ((Date.now() - started) / 1000).toFixed(1).padStart(6);
      process.stderr.write(`${at} s  ${message}\n`);
    },
  });
  process.stdout.write(`${reportText(report)}\n`);
  if (values.report !== undefined) {
    const machine = `${cpus().length} cores, Linux, Node ${process.versions.node}`;
    const { format } = await import('oxfmt');
    await writeFile(values.report, (await format('report.md', reportMarkdown(report, machine))).code);
  }
  process.exitCode = report.invariants.every(({ holds }) => holds) ? 0 : 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
