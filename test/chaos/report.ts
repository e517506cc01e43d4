import { facts, table } from '../../src/process/cli/output';
import type { ChaosReport } from './run';

const counted = (counts: Record<string, number>) =>
  Object.entries(counts)
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** For docs/chaos-report.md. */
export function reportMarkdown(report: ChaosReport, machine: string): string {
  const { seed, seconds, faults, ends, seen, settledAfterSeconds, invariants } = report;
  const cell = (text: string) => text.trim().replaceAll('|', '\\|');
  const lines = (counts: Record<string, number>) =>
    Object.entries(counts)
      .sort()
      .map(([name, count]) => `| ${cell(name)} | ${count} |`);
  return [
    '# Chaos report',
    '',
    `Written by \`npm run chaos -- --minutes ${Math.round(seconds / 60)} --seed ${seed} --report docs/chaos-report.md\` on ${machine}.`,
    'What the run does is described in [operations.md](operations.md#chaos-tests).',
    '',
    `Faults for ${Math.round(seconds / 60)} minutes; then everything settled after ${settledAfterSeconds} seconds.`,
    '',
    '| Invariant | Holds | Seen |',
    '| --- | --- | --- |',
    ...invariants.map(
      ({ invariant, holds, detail }) =>
        `| ${cell(invariant)} | ${holds ? 'yes' : '**no**'} | ${cell(detail)} |`,
    ),
    '',
    '| Fault | Times |',
    '| --- | --- |',
    ...lines(faults),
    '',
    `Processes that ended: ${counted(ends)}. Load: ${counted({ ...seen })}.`,
    '',
  ].join('\n');
}

export function reportText(report: ChaosReport): string {
  const head = facts([
    ['seed', report.seed],
    ['faults', counted(report.faults)],
    ['processes ended', counted(report.ends)],
    ['load', counted({ ...report.seen })],
    ['settled after', `${report.settledAfterSeconds} s`],
  ]);
  const rows = report.invariants.map(({ invariant, holds, detail }) => [
    holds ? 'holds' : 'BROKEN',
    invariant,
    detail,
  ]);
  return `${head}\n${table(['', 'invariant', 'seen'], rows)}`;
}
