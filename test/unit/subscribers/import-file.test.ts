import { limits } from '../../../src/base/contract/limits';
import { createImportReader, type ImportFile } from '../../../src/domains/subscribers/import-file';
import { longestStall } from '../../support/longest-stall';

jest.setTimeout(60_000);

const HEADER = 'external_id,properties.a';
const rowsOf = (count: number) => `${HEADER}\n${'user,"a ""b"" c"\n'.repeat(count)}`;
const benign = rowsOf(limits.importRows);
/** As large as a file can be. */
const filled = (text: string) => text.repeat(Math.floor(limits.importBytes / text.length) - 1);

/** As it arrives: in parts of any length. */
async function readImportFile(file: string, partLength = 64 * 1024): Promise<ImportFile> {
  const reader = createImportReader();
  for (let at = 0; at < file.length; at += partLength) await reader.read(file.slice(at, at + partLength));
  return reader.end();
}

interface Reading {
  ms: number;
  stall: number;
  error: string | null;
}

async function reading(file: string): Promise<Reading> {
  const { ms, stall, result } = await longestStall(() =>
    readImportFile(file).then(
      () => null,
      (refused: Error) => refused.message,
    ),
  );
  return { ms, stall, error: result };
}

let whole: Reading;
beforeAll(async () => {
  whole = await reading(benign);
});

test('a file of 500,000 rows is read with pauses, and one more row is refused', async () => {
  const { ms, stall, error } = whole;
  expect(error).toBeNull();
  expect(stall).toBeLessThan(ms / 5);
  expect((await reading(rowsOf(limits.importRows + 1))).error).toBe('body: can have up to 500000 rows');
});

test.each([
  ['one quoted cell', `${HEADER}\n"${filled('a')}"`, 'row 2 has more than 64 KiB'],
  ['one cell of quotes', `${HEADER}\n"${filled('""')}"`, 'row 2 has more than 64 KiB'],
  ['one cell without an end', `${HEADER}\n"${filled('a')}`, 'row 2 has more than 64 KiB'],
  ['one plain cell', `${HEADER}\n${filled('a')}`, 'row 2 has more than 64 KiB'],
  ['one row of commas', `${HEADER}\n${filled(',')}`, 'row 2 has more than 1000 columns'],
  ['a header of commas', filled(','), 'row 1 has more than 1000 columns'],
  ['a header of unknown columns', `nothing\n${filled('a\n')}`, '"nothing" is not a column'],
])('%s of 10 MiB is refused long before the file could have been read', async (_name, file, message) => {
  const refused = await reading(file);
  expect(refused.error).toContain(message);
  expect(refused.ms).toBeLessThan(whole.ms / 10);
});

test('rows are numbered as in the file: the header is row 1, and empty rows count', async () => {
  const { chunks, rows } = await readImportFile('external_id\na\n\n"b\nb"\r\nc');
  expect(rows).toBe(3);
  expect(chunks.map((chunk) => JSON.parse(chunk.rows) as unknown)).toEqual([
    [
      { row: 2, cells: ['a'] },
      { row: 4, cells: ['b\nb'] },
      { row: 5, cells: ['c'] },
    ],
  ]);
});

test('64 KiB are bytes, not characters', async () => {
  const cell = (count: number) => reading(`external_id\n${'я'.repeat(count)}`);
  expect((await cell(32 * 1024)).error).toBeNull();
  expect((await cell(32 * 1024 + 1)).error).toContain('row 2 has more than 64 KiB');
});
