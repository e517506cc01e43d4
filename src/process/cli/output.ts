import Table from 'cli-table3';
import { withIsoTimes } from '../../base/lib/iso-time';
import { hasColor, styled, styleOf } from './style';

type Cell = string | number | boolean | null | undefined;

/** Where a table is printed. */
interface Terminal {
  /** Null where nothing limits a line: a file or a pipe. */
  width: number | null;
  color: boolean;
}

/** The terminal of this process. */
export const terminal = (): Terminal => ({
  width: process.stdout.isTTY ? process.stdout.columns : null,
  color: hasColor(),
});

/** Prints JSON with `--json`, otherwise text. */
export function print(value: unknown, json: boolean | undefined, forPeople: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, withIsoTimes) : forPeople()}\n`);
}

/** A table; where it is wider than the terminal, one block of lines for each row, so that ids can still be copied. */
export function table(head: string[], rows: Cell[][], { width, color }: Terminal = terminal()): string {
  const texts = rows.map((row) => row.map(textOf));
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };
  const drawn = new Table({
    head: head.map((name) => styled(name, 'bold', color)),
    chars,
    style: { head: [], border: [] },
  });
  for (const row of texts) drawn.push(row.map((text) => styled(text, styleOf(text), color)));
  const text = drawn.toString();
  // The border has one character for each column of the terminal, also above wide characters.
  const drawnWidth = text.indexOf('\n');
  return width !== null && drawnWidth > width ? blocks(head, texts, color) : text;
}

interface Fit {
  width: number;
  /** The columns that give way, in the order in which they do. */
  shrinks: string[];
  color?: boolean;
}

const GAP = 2;
const LEAST = 12;

/** One line for each row, as long as the terminal at most: some columns are cut in the middle, where texts differ least. */
export function fitted(head: string[], rows: Cell[][], { width, shrinks, color = hasColor() }: Fit): string {
  const texts = rows.map((row) => row.map(textOf));
  const widths = head.map((name, at) => Math.max(name.length, ...texts.map((row) => row[at]?.length ?? 0)));
  for (const name of shrinks) {
    const at = head.indexOf(name);
    const over = widths.reduce((sum, each) => sum + each + GAP, -GAP) - width;
    if (over > 0) widths[at] = Math.max(Math.min(LEAST, widths[at] ?? 0), (widths[at] ?? 0) - over);
  }
  const line = (row: string[], style: (text: string) => Parameters<typeof styled>[1]) =>
    row
      .map((text, at) => {
        const shown = cutMiddle(text, widths[at] ?? 0);
        const padding = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - shown.length + GAP);
        return styled(shown, style(text), color) + padding;
      })
      .join('');
  return [line(head, () => 'muted'), ...texts.map((row) => line(row, styleOf))].join('\n');
}

function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${end === 0 ? '' : text.slice(-end)}`;
}

function textOf(cell: Cell): string {
  return cell === null || cell === undefined ? '–' : String(cell);
}

function blocks(head: string[], rows: string[][], color: boolean): string {
  const longest = Math.max(...head.map((name) => name.length)) + 2;
  return rows
    .map((row) =>
      row
        .map((text, at) => {
          const name = (head[at] ?? '').padEnd(longest);
          return `${styled(name, 'muted', color)}${styled(text, styleOf(text), color)}`;
        })
        .join('\n'),
    )
    .join('\n\n');
}

/** Name and value, one pair per line. */
export function facts(pairs: [string, Cell][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 2;
  const color = hasColor();
  return pairs
    .map(([name, value]) => {
      const text = textOf(value);
      return `${styled(name.padEnd(width), 'muted', color)}${styled(text, styleOf(text), color)}`;
    })
    .join('\n');
}
