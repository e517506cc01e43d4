import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../src/base/lib/package-root';
import type { Figure } from './table';

const file = path.join(packageRoot, 'bench', 'recorded.json');

/** A ratio that is worse by more than this share fails the benchmark. */
const SLACK = 1 / 3;

/** The last recorded ratio of each figure of the smoke benchmark. */
type Recorded = Record<string, number>;

/** Compares each ratio with the recorded one. */
export function besideRecorded(figures: Figure[]): Figure[] {
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
  return figures.map((figure) => {
    const target = recorded[figure.name];
    if (target === undefined) throw new Error(`"${figure.name}" has no recorded ratio: run with --record`);
    return { ...figure, target, slack: SLACK };
  });
}

/**
 * `npm run bench -- smoke --record`, for a change that moves the figures on purpose. Figures that this system cannot measure keep
 * their record.
 */
export function record(figures: Figure[]): void {
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
  const ratios = figures.map(({ name, ratio = recorded[name] }) => {
    if (ratio === undefined || !Number.isFinite(ratio)) throw new Error(`"${name}" was not measured`);
    return [name, Number(ratio.toPrecision(3))];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
}
