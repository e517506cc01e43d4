import Table from 'cli-table3';
import { hasColor, styled, styleOf } from './style';

type Cell = string | number | boolean | null | undefined;

/** Where a table is printed. */
export interface Terminal {
  /** Null where nothing limits a line: a file or a pipe. */
  width: number | null;
  color: boolean;
}

const here = (): Terminal => ({
  width: process.stdout.isTTY ? process.stdout.columns : null,
  color: hasColor(),
});

/** Prints JSON with `--json`, otherwise text. */
export function print(value: unknown, json: boolean | undefined, forPeople: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : forPeople()}\n`);
}

/** A table; where it is wider than the terminal, one block of lines for each row, so that ids can still be copied. */
export function table(head: string[], rows: Cell[][], { width, color }: Terminal = here()): string {
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
