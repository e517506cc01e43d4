import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import tablesOfRooms from '../../../src/base/db/migrations/tables.json';
import { floorOf, roomOf, root, sources } from '../../support/rooms';
import { holdsSql, interpolatedTables, readSql, type SqlUse } from '../../support/sql-tables';

/**
 * A room writes only its own tables, and reads its own and those of rooms below it. What a room must ask of a room above
 * it is registered in `src/process/roles`. `process` names no table: it calls what the domains export.
 */

const ownerOf = new Map(
  Object.entries(tablesOfRooms).flatMap(([room, tables]) => tables.map((table) => [table, room] as const)),
);
const tables = new Set(ownerOf.keys());

const folder = path.join(root, 'src', 'base', 'db', 'migrations');
/** The sections of the migrations, each with the room that heads it. */
const sections = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(path.join(folder, name), 'utf8'))
  .flatMap((sql) => [...sql.matchAll(/^-- =+\n-- (\w+)\n-- =+\n([\s\S]*?)(?=^-- =+\n-- \w+\n|(?![\s\S]))/gm)])
  .map(([, room = '', sql = '']) => ({ room, sql: sql.replace(/--[^\n]*/g, '') }));
const created = sections.flatMap(({ room, sql }) =>
  [...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+) \(([\s\S]*?)\n\)[^;]*;/g)].map(
    ([, table = '', body = '']) => ({
      room,
      table,
      columns: [...body.matchAll(/(?:^|,)\s*([a-z_]+) [a-z]/g)].map(([, name = '']) => name),
    }),
  ),
);

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

const files = sources('src').map((file) => ({ file, room: roomOf(file), source: parse(file) }));
/** Constants are used in other files too, and so are tables that are data. */
const isShared = (name: string) => /^([A-Z_]+|table|from)$/.test(name);
const shared = files.flatMap(({ source }) => interpolatedTables(source).filter(isShared));

/** A word may be a column of a table that its room owns or that its room may read. */
const readableColumns = (room: string) =>
  new Set(created.filter(({ table }) => mayRead(room, table)).flatMap(({ columns }) => columns));

function mayRead(room: string, table: string): boolean {
  const owner = ownerOf.get(table) ?? '';
  return owner === room || floorOf(owner) < floorOf(room);
}

const uses = files.map(({ file, room, source }) => ({
  file,
  room,
  ...readSql(source, tables, {
    columns: readableColumns(room),
    interpolated: new Set([...shared, ...interpolatedTables(source)]),
    strict: holdsSql(file),
  }),
}));

function offencesOf({ file, room, reads, writes }: SqlUse & { file: string; room: string }): string[] {
  const wrong = new Set([
    ...[...writes].filter((table) => ownerOf.get(table) !== room),
    ...[...reads].filter((table) => room === 'process' || !mayRead(room, table)),
  ]);
  return [...wrong].sort().map((table) => `${file} → ${table}`);
}

describe('the reader of SQL', () => {
  const read = (code: string) => {
    const source = ts.createSourceFile('queries.ts', code, ts.ScriptTarget.Latest, true);
    const { reads, writes, unclear } = readSql(source, new Set(['events', 'endpoints', 'messages']), {
      columns: new Set(['messages']),
      interpolated: new Set(interpolatedTables(source)),
      strict: true,
    });
    return { reads: [...reads].sort(), writes: [...writes].sort(), unclear: unclear.length };
  };

  it.each([
    ['SELECT 1 FROM events e JOIN endpoints ON true', ['endpoints', 'events'], []],
    ['SELECT 1 FROM unnest($1) AS given, events WHERE events.id = given', ['events'], []],
    ['SELECT 1 FROM (SELECT 1 FROM events) AS endpoints WHERE endpoints.id = 1', ['events'], []],
    ['SELECT extract(epoch FROM events.at) FROM endpoints events', ['endpoints'], []],
    ['SELECT a IS DISTINCT FROM b FROM events FOR UPDATE OF events', ['events'], []],
    [
      'INSERT INTO events (id) SELECT id FROM endpoints ON CONFLICT DO UPDATE SET id = 1',
      ['endpoints'],
      ['events'],
    ],
    ['UPDATE events SET id = 1 FROM endpoints e WHERE e.id = 2', ['endpoints'], ['events']],
    ['DELETE FROM ONLY events e USING endpoints', ['endpoints'], ['events']],
    ['WITH events AS (DELETE FROM messages RETURNING id) SELECT id FROM events', [], ['messages']],
    ['WITH events AS (INSERT INTO events DEFAULT VALUES RETURNING id) SELECT id FROM events', [], ['events']],
    ['LOCK TABLE events IN SHARE MODE', [], ['events']],
    ['SELECT count(*) AS events, messages FROM endpoints', ['endpoints'], []],
    ["SELECT 'from events' FROM endpoints -- not FROM messages", ['endpoints'], []],
  ])('reads %s', (sql, reads, writes) => {
    expect(read(`const sql = \`${sql}\`;`)).toEqual({ reads, writes, unclear: 0 });
  });

  it('reads tables that are named in constants, objects and arguments', () => {
    expect(
      read('const ALL = `events e JOIN endpoints ON true`; const sql = `SELECT 1 FROM ${ALL}`;'),
    ).toEqual({
      reads: ['endpoints', 'events'],
      writes: [],
      unclear: 0,
    });
    expect(
      read('remove({ table: "events" }); expire(db, "endpoints"); `DELETE FROM ${table}`').writes,
    ).toEqual(['endpoints', 'events']);
    expect(
      read('const retention = (): Retention => ({ events: { age: "created_at" }, endpoints: [] });').writes,
    ).toEqual(['endpoints', 'events']);
    expect(read('show({ from: "events e CROSS JOIN endpoints" }); `SELECT 1 FROM ${from}`').reads).toEqual([
      'endpoints',
      'events',
    ]);
  });

  it('reports a name that it cannot place', () => {
    expect(read('const part = `id, events + 1`;').unclear).toBe(1);
    expect(read('const sql = `select 1 from events`;').unclear).toBe(1);
  });
});

describe('a table', () => {
  it('is listed once, in a room that exists', () => {
    const listed = Object.values(tablesOfRooms).flat();
    expect(listed.filter((table, at) => listed.indexOf(table) !== at)).toEqual([]);
    expect(Object.keys(tablesOfRooms).filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  it('is created in the section of its room', () => {
    const byRoom: Record<string, string[]> = {};
    for (const { room, table } of created) (byRoom[room] ??= []).push(table);
    // `migrations` is created by the code that applies them.
    byRoom['db'] = ['migrations'];
    for (const names of Object.values(byRoom)) names.sort();
    expect(byRoom).toEqual(tablesOfRooms);
  });

  it('is named on the page of its room', () => {
    const pages = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => path.basename(name) === 'README.md')
      .map((name) => path.join('src', name));
    const textOf: Record<string, string> = {};
    for (const page of pages) {
      textOf[roomOf(page)] = (textOf[roomOf(page)] ?? '') + readFileSync(path.join(root, page), 'utf8');
    }
    const missing = Object.entries(tablesOfRooms).flatMap(([room, names]) =>
      names
        .filter((table) => !new RegExp(`\`${table}[\` ]`).test(textOf[room] ?? ''))
        .map((table) => `${room}: ${table}`),
    );
    expect(missing).toEqual([]);
  });

  it('is recognised wherever a query names it', () => {
    const named = uses.filter(({ reads, writes }) => reads.size + writes.size > 0);
    expect(named.length).toBeGreaterThan(60);
    const known = new Set(uses.flatMap(({ reads, writes }) => [...reads, ...writes]));
    expect([...tables].filter((table) => !known.has(table))).toEqual([]);
    expect(uses.flatMap(({ file, unclear }) => unclear.map((place) => `${file}: ${place}`))).toEqual([]);
  });

  it('is written by its own room, and read by it and the rooms above', () => {
    expect(uses.flatMap(offencesOf)).toEqual([]);
  });
});
