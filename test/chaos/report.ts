import { facts, table } from '../../src/cli/output';
import type { ChaosReport } from './run';

export function reportText(report: ChaosReport): string {
  const counted = (counts: Record<string, number>) =>
    Object.entries(counts)
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
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
