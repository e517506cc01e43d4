import Table from 'cli-table3';

/** One figure of a benchmark. Only ratios are comparable, because both sides come from the same run. */
export interface Figure {
  name: string;
  value: string;
  baseline?: string;
  ratio?: number;
  /** The minimum ratio; with `atMost`, the maximum. */
  target?: number;
  atMost?: boolean;
  /** By which share of the target a figure may miss it before the run fails; default: a tenth. */
  slack?: number;
}

function isMet({ ratio, target, atMost }: Figure): boolean | null {
  if (ratio === undefined || target === undefined) return null;
  return atMost ? ratio <= target : ratio >= target;
}

/** Missed by more than its slack, which makes `npm run bench` fail. */
export function isFarOff(figure: Figure): boolean {
  const { ratio, target, atMost, slack = 0.1 } = figure;
  if (ratio === undefined || target === undefined) return false;
  return atMost ? ratio > target * (1 + slack) : ratio < target * (1 - slack);
}

export function figureTable(figures: Figure[]): string {
  const table = new Table({
    head: ['figure', 'value', 'baseline', 'ratio', 'target', 'met'],
    style: { head: [], border: [] },
  });
  for (const figure of figures) {
    const met = isMet(figure);
    table.push([
      figure.name,
      figure.value,
      figure.baseline ?? '',
      figure.ratio === undefined ? '' : figure.ratio.toFixed(2),
      figure.target === undefined ? '' : `${figure.atMost ? '≤' : '≥'} ${figure.target}`,
      met === null ? '' : met ? 'yes' : 'no',
    ]);
  }
  return table.toString();
}
