import Table from 'cli-table3';

type Cell = string | number | boolean | null | undefined;

/** Prints JSON with `--json`, otherwise text. */
export function print(value: unknown, json: boolean | undefined, forPeople: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : forPeople()}\n`);
}

export function table(head: string[], rows: Cell[][]): string {
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };
  const drawn = new Table({ head, chars, style: { head: [], border: [] } });
  for (const row of rows) {
    drawn.push(row.map((cell) => (cell === null || cell === undefined ? '–' : String(cell))));
  }
  return drawn.toString();
}

/** Name and value, one pair per line. */
export function facts(pairs: [string, Cell][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 2;
  return pairs.map(([name, value]) => `${name.padEnd(width)}${value ?? '–'}`).join('\n');
}
