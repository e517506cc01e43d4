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

export interface CsvRow {
  /** As a spreadsheet counts: from 1, empty ones included. */
  row: number;
  cells: string[];
}

/** What one row may have: anything beyond is refused where it begins, so that no row takes long to read. */
interface RowBounds {
  columns: number;
  bytes: number;
}

/** Characters that are read at once: a row that does not end in them is read again with the next ones. */
const PART_LENGTH = 64 * 1024;

/** Reads a text that arrives in parts. */
export class CsvReader {
  private rest = '';
  private row = 0;
  private isBegun = false;

  constructor(private readonly bounds: RowBounds) {}

  /** The rows that end in what has arrived, without empty ones. Line breaks are CRLF, LF or CR. */
  *read(part: string): Generator<CsvRow, undefined> {
    this.rest += part;
    if (this.rest.length >= PART_LENGTH) yield* this.rows(false);
  }

  /** The last rows. */
  *end(): Generator<CsvRow, undefined> {
    yield* this.rows(true);
  }

  private *rows(isWhole: boolean): Generator<CsvRow, undefined> {
    const text = this.rest;
    // Excel begins a file with a byte order mark.
    let at = !this.isBegun && text.startsWith('\ufeff') ? 1 : 0;
    this.isBegun = true;
    while (at < text.length) {
      const found = rowAt(text, at, this.row + 1, this.bounds, isWhole);
      if (!found) break;
      this.row += 1;
      at = found.end;
      const { cells } = found;
      if (cells.length > 1 || cells[0] !== '') yield { row: this.row, cells };
    }
    this.rest = text.slice(at);
  }
}

/** The rows of a text. */
export function* parseCsv(text: string, bounds: RowBounds): Generator<CsvRow, undefined> {
  const reader = new CsvReader(bounds);
  for (let at = 0; at < text.length; at += PART_LENGTH) yield* reader.read(text.slice(at, at + PART_LENGTH));
  yield* reader.end();
}

/** The row that begins at `start`, and where the next one begins; null if it may go on in text that has not arrived. */
function rowAt(
  text: string,
  start: number,
  row: number,
  bounds: RowBounds,
  isWhole: boolean,
): { cells: string[]; end: number } | null {
  // A character has at least one byte.
  const last = start + bounds.bytes;
  const cells: string[] = [];
  for (let at = start; ; at += 1) {
    const cell =
      text.charCodeAt(at) === QUOTE ? quotedCell(text, at, last, isWhole) : plainCell(text, at, last);
    if (!cell) return null;
    if (cell.end > last) throw new CsvError(`row ${row} has more than ${bounds.bytes / 1024} KiB`);
    cells.push(cell.value);
    if (cells.length > bounds.columns) {
      throw new CsvError(`row ${row} has more than ${bounds.columns} columns`);
    }
    at = cell.end;
    if (text.charCodeAt(at) === COMMA) continue;
    // A line feed may follow a carriage return.
    if (!isWhole && at + 1 >= text.length) return null;
    if (Buffer.byteLength(text.slice(start, at)) > bounds.bytes) {
      throw new CsvError(`row ${row} has more than ${bounds.bytes / 1024} KiB`);
    }
    return { cells, end: at + (text.startsWith('\r\n', at) ? 2 : 1) };
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Cell {
  value: string;
  /** The place of the comma or line break after it; after `last` if the row is too long. */
  end: number;
}

function plainCell(text: string, start: number, last: number): Cell {
  let end = start;
  while (end <= last && end < text.length && !endsCell(text.charCodeAt(end))) {
    if (text.charCodeAt(end) === QUOTE) {
      throw new CsvError('a quotation mark stands inside a cell without quotes');
    }
    end += 1;
  }
  return { value: text.slice(start, end), end };
}

/** Null if the cell may go on in text that has not arrived. */
function quotedCell(text: string, start: number, last: number, isWhole: boolean): Cell | null {
  const parts: string[] = [];
  for (let from = start + 1, at = from; at <= last; at += 1) {
    if (at >= text.length) {
      if (!isWhole) return null;
      throw new CsvError('a quoted cell has no end');
    }
    if (text.charCodeAt(at) !== QUOTE) continue;
    if (!isWhole && at + 1 === text.length) return null;
    const isPair = text.charCodeAt(at + 1) === QUOTE;
    parts.push(text.slice(from, isPair ? at + 1 : at));
    if (!isPair) return { value: parts.join(''), end: cellEnd(text, at + 1) };
    at += 1;
    from = at + 1;
  }
  return { value: '', end: last + 1 };
}

function cellEnd(text: string, at: number): number {
  if (at === text.length || endsCell(text.charCodeAt(at))) return at;
  throw new CsvError('a quoted cell is followed by text');
}

function endsCell(code: number): boolean {
  return code === COMMA || code === LINE_FEED || code === CARRIAGE_RETURN;
}
