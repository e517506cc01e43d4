/** RFC 4180, without the header: cells, quotes and line breaks. */

/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line with its end. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The text of a cell without the apostrophe that `csvLine` has put before it. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

export class CsvError extends Error {}

/** The lines of a text, without empty ones. Line breaks are CRLF, LF or CR. */
export function* parseCsv(text: string): Generator<string[]> {
  // Excel begins a file with a byte order mark.
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const cells: string[] = [];
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
      cells.push(cell.value);
      at = cell.end;
      if (text[at] !== ',') break;
      at += 1;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (cells.length > 1 || cells[0] !== '') yield cells;
  }
}

interface Cell {
  value: string;
  /** The place of the comma or line break after it. */
  end: number;
}

function plainCell(text: string, start: number): Cell {
  const ends = /[,\r\n]/g;
  ends.lastIndex = start;
  const end = ends.exec(text)?.index ?? text.length;
  const value = text.slice(start, end);
  if (value.includes('"')) throw new CsvError('a quotation mark stands inside a cell without quotes');
  return { value, end };
}

function quotedCell(text: string, start: number): Cell {
  let value = '';
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) throw new CsvError('a quoted cell has no end');
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: cellEnd(text, quote + 1) };
    value += '"';
    from = quote + 2;
  }
}

function cellEnd(text: string, at: number): number {
  if (at === text.length || /[,\r\n]/.test(text.charAt(at))) return at;
  throw new CsvError('a quoted cell is followed by text');
}
