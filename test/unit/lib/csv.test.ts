import fc from 'fast-check';
import { limits } from '../../../src/base/contract/limits';
import { csvLine, CsvError, CsvReader, parseCsv, withoutGuard } from '../../../src/base/lib/csv';

const bounds = { columns: limits.importColumns, bytes: limits.importRowBytes };
const rowsOf = (text: string) => [...parseCsv(text, bounds)].map(({ cells }) => cells);

describe('CSV', () => {
  it('quotes what needs it, and ends lines with CRLF', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', 'two\nlines', ''])).toBe('a,"b,c","say ""x""","two\nlines",\r\n');
  });

  it.each(['=1+1', '+7', '-1', '@SUM(A1)', '\tx', '\rx'])('makes %j harmless in a spreadsheet', (text) => {
    const line = csvLine([text]);
    expect(line.replace(/^"/, '').startsWith("'")).toBe(true);
    expect(rowsOf(line).flat().map(withoutGuard)).toEqual([text]);
  });

  it('leaves an apostrophe of one’s own alone', () => {
    expect(withoutGuard("'tis")).toBe("'tis");
    expect(csvLine(["'tis"])).toBe("'tis\r\n");
  });

  it('reads any line breaks, a byte order mark, and leaves out empty lines', () => {
    expect(rowsOf('\ufeffa,b\r\n1,\n\n"x\r\ny",2\r3,4')).toEqual([
      ['a', 'b'],
      ['1', ''],
      ['x\r\ny', '2'],
      ['3', '4'],
    ]);
    expect(rowsOf('')).toEqual([]);
    expect(rowsOf('a,')).toEqual([['a', '']]);
  });

  it.each(['"open', 'a"b', '"a"b,c', '"a" ,b'])('refuses %j', (text) => {
    expect(() => rowsOf(text)).toThrow(CsvError);
  });

  it('reads a text that arrives in parts as it reads the whole', () => {
    const line = '1,"a ""quoted"", cell\r\nof two lines",\u{1f600}\r\n\r\nx,,"",\r';
    const text = `\ufeff${line.repeat(3_000)}last,"""`;
    const whole = [...parseCsv(`${text}"`, bounds)];
    for (const length of [1_021, 65_537, 100_000]) {
      const reader = new CsvReader(bounds);
      const rows = [];
      for (let at = 0; at < text.length; at += length) rows.push(...reader.read(text.slice(at, at + length)));
      rows.push(...reader.read('"'), ...reader.end());
      expect(rows).toEqual(whole);
    }
    const open = new CsvReader(bounds);
    open.read('a,"').next();
    expect(() => [...open.end()]).toThrow(CsvError);
  });

  it('reads what it writes', () => {
    const table = fc.array(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 5 }));
    fc.assert(
      fc.property(table, (lines) => {
        const read = rowsOf(lines.map(csvLine).join(''));
        // A first cell that begins with a byte order mark cannot be told from the file's own.
        fc.pre(!lines[0]?.[0]?.startsWith('\ufeff'));
        const guarded = lines.map((cells) =>
          cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)),
        );
        expect(read).toEqual(guarded);
      }),
    );
  });
});
