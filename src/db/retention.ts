import { createRegistry } from '../lib/registry';
import { cursorTime } from './cursor-time';
import type { Db } from './pool';
import { change, row, rows } from './query';

/** What ends the rows of a table. */
export type TableEnd =
  /** A statement of the retention job deletes them. `days` is `HERALD_RETENTION_DAYS`. */
  | { after: string; remove: (db: Db, days: number) => NextBatch }
  /** They are deleted with the row that they belong to, by a foreign key. */
  | { with: string }
  /** The statements that delete the rows of this table delete them as well; a foreign key would cost every insert. */
  | { alongside: string }
  /** The table does not grow, and why. */
  | { bounded: string };

/** What ends the rows of each table of a room. The removals run in this order. */
export type Retention = Record<string, TableEnd>;

/** The retention of every room, registered at start-up. Its order is that of the removals. */
export const retentions = createRegistry<{ room: string; tables: Retention }>('retention');

export const retentionDays = 'HERALD_RETENTION_DAYS';

export const retention: Retention = {
  migrations: { bounded: 'One row for each migration.' },
};

/**
 * Small, so that each statement holds its locks only for milliseconds. Written into the statements: as a parameter it
 * would make Postgres plan for a tenth of the table.
 */
export const BATCH = 500;

export interface Batch {
  /** Rows deleted or changed. */
  affected: number;
  /** Whether another batch may find more. */
  more: boolean;
}

/** One run over one table: called for batch after batch until it says that there is no more. */
export type NextBatch = () => Promise<Batch>;

/** Repeats a statement that affects at most `BATCH` rows. */
export function repeated(affectSome: () => Promise<number>): NextBatch {
  return async () => {
    const affected = await affectSome();
    return { affected, more: affected === BATCH };
  };
}

/** Repeats a DELETE that is limited to `BATCH` rows. */
export function repeatedDelete(db: Db, name: string, text: string, values: unknown[] = []): NextBatch {
  return repeated(() => change(db, name, text, values));
}

/** Deletes rows once their `expires_at` is over. */
export function removeExpired(db: Db, table: string, key = 'id'): NextBatch {
  return repeatedDelete(
    db,
    `remove_expired_${table}`,
    `DELETE FROM ${table} WHERE ${key} IN (
       SELECT ${key} FROM ${table} WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

interface Belongings {
  table: string;
  /** The column that names the row to which they belong. */
  key: string;
  owner: string;
  /** Of the owner: when it ended. */
  end: string;
  days: number;
}

/** Deletes what belongs to rows that ended `days` ago, in batches, before them: a cascade would be one statement for all. */
export function removeBelongings(db: Db, { table, key, owner, end, days }: Belongings): NextBatch {
  return repeatedDelete(
    db,
    `remove_old_${table}`,
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT b.ctid FROM ${owner} o CROSS JOIN LATERAL (
         SELECT ctid FROM ${table} WHERE ${key} = o.id LIMIT ${BATCH}) b
       WHERE o.${end} < now() - make_interval(days => $1) LIMIT ${BATCH}))`,
    [days],
  );
}

interface Aged {
  table: string;
  id: string;
  /** An index on (age, id) supports the walk. */
  age: string;
  days: number;
  /** SQL: what else must hold for a row `t`. */
  where?: string;
}

interface Page {
  affected: number;
  seen: number;
  last_at: string;
  last_id: string;
}

/**
 * Deletes old rows from the oldest on. Each batch goes on after the last row of the one before it, so that it does not
 * walk through what was just deleted, nor through rows that stay. Rows that another process has locked are left to it.
 */
export function removeOld(db: Db, { table, id, age, days, where = 'true' }: Aged): NextBatch {
  let last = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  return async () => {
    const page = await row<Page>(
      db,
      `remove_old_${table}`,
      `WITH old AS MATERIALIZED (
         SELECT t.${id} AS id, t.${age} AS at FROM ${table} t
         WHERE t.${age} < now() - make_interval(days => $3) AND (t.${age}, t.${id}) > ($1::timestamptz, $2::uuid) AND ${where}
         ORDER BY t.${age}, t.${id} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), removed AS (
         DELETE FROM ${table} t USING old WHERE t.${id} = old.id RETURNING 1
       )
       SELECT (SELECT count(*)::int FROM removed) AS affected, (SELECT count(*)::int FROM old) AS seen,
         ${cursorTime('old.at')} AS last_at, old.id AS last_id
       FROM old ORDER BY old.at DESC, old.id DESC LIMIT 1`,
      [last.at, last.id, days],
    );
    if (!page) return { affected: 0, more: false };
    last = { at: page.last_at, id: page.last_id };
    return { affected: page.affected, more: page.seen === BATCH };
  };
}

/**
 * Walks old rows from the oldest on, like `removeOld`, where rows of other tables decide which of them may go: `remove`
 * gets the ids of a page and returns how many it deleted.
 */
export function removeOldPages(
  db: Db,
  { table, id, age, days }: Omit<Aged, 'where'>,
  remove: (ids: string[]) => Promise<number>,
): NextBatch {
  let last = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  return async () => {
    const page = await rows<{ id: string; at: string }>(
      db,
      `list_old_${table}`,
      `SELECT t.${id} AS id, ${cursorTime(`t.${age}`)} AS at FROM ${table} t
       WHERE t.${age} < now() - make_interval(days => $3) AND (t.${age}, t.${id}) > ($1::timestamptz, $2::uuid)
       ORDER BY t.${age}, t.${id} LIMIT ${BATCH}`,
      [last.at, last.id, days],
    );
    last = page.at(-1) ?? last;
    const affected = page.length > 0 ? await remove(page.map((each) => each.id)) : 0;
    return { affected, more: page.length === BATCH };
  };
}

/**
 * Walks a small table by its primary key and deletes the rows that `where` names. For tables whose rows are updated too
 * often for an index on their age.
 */
export function removeWalking(
  db: Db,
  {
    table,
    key,
    type,
    where,
  }: { table: string; key: string; type: 'uuid' | 'text' | 'bigint'; where: string },
): NextBatch {
  let last: string | null = null;
  return async () => {
    const page = await row<{ affected: number; seen: number; last: string }>(
      db,
      `walk_${table}`,
      `WITH page AS MATERIALIZED (
         SELECT t.${key} AS key FROM ${table} t WHERE $1::${type} IS NULL OR t.${key} > $1::${type}
         ORDER BY t.${key} LIMIT ${BATCH}
       ), removed AS (
         DELETE FROM ${table} t USING page WHERE t.${key} = page.key AND ${where} RETURNING 1
       )
       SELECT (SELECT count(*)::int FROM removed) AS affected, (SELECT count(*)::int FROM page) AS seen,
         page.key AS last
       FROM page ORDER BY page.key DESC LIMIT 1`,
      [last],
    );
    if (!page) return { affected: 0, more: false };
    last = page.last;
    return { affected: page.affected, more: page.seen === BATCH };
  };
}
