import { createRegistry } from '../lib/registry';
import { BATCH_ROWS } from './batches';
import type { Db } from './pool';
import { rowsPlannedAnew } from './query';

/** Which rows of a table are old. An index on `age` supports it, or the table is small. */
export interface Rule {
  /** SQL: the time of a row from which its age counts. */
  age: string;
  /** An interval. Default: none. */
  after?: string;
  /** SQL: what else must hold for a row `t`. */
  where?: string;
  /** The column in whose order the rows are read, where no index has `age`. */
  by?: string;
  /** In place of a DELETE: gets the ids of a page of old rows, and returns how many it deleted. */
  remove?(db: Db, ids: string[]): Promise<number>;
}

/** Rows that are deleted before the row that they belong to, in batches: a cascade would be one statement for all of them. */
interface Part {
  before: string;
  /** The column with the id of that row. */
  key: string;
}

/** How the rows of a table are deleted. */
export type TableEnd =
  | Rule
  | Part
  /** They are deleted with the row that they belong to, by a foreign key. */
  | { with: string }
  /** The statements that delete the rows of this table delete them as well; a foreign key would cost every insert. */
  | { alongside: string }
  /** The table does not grow, and why. */
  | { bounded: string };

/** How the rows of each table of a room are deleted. */
export type Retention = Record<string, TableEnd | TableEnd[]>;

/** The rules of every room for a `HERALD_RETENTION_DAYS`, registered at start-up. They run in this order. */
export const retentions = createRegistry<{ room: string; tables: (days: number) => Retention }>('retention');

export const retention = (): Retention => ({ migrations: { bounded: 'One row for each migration.' } });

/** One run of a rule, a batch for each call of `next`. */
export interface Removal {
  name: string;
  next(): Promise<{ affected: number; more: boolean }>;
}

/** Repeats a statement that affects a batch at most. */
export function repeated(name: string, affectSome: () => Promise<number>): Removal {
  return {
    name,
    async next() {
      const affected = await affectSome();
      return { affected, more: affected === BATCH_ROWS };
    },
  };
}

/** The removals of a room. Skips rows that another process has locked. */
export function removalsOf(db: Db, tables: Retention): Removal[] {
  const ends = Object.entries(tables).flatMap(([table, of]) => [of].flat().map((end) => ({ table, end })));
  const rulesOf = (owner: string) =>
    ends.flatMap(({ table, end }) => (table === owner && 'age' in end ? [end] : []));
  const waitsForParts = (owner: string) =>
    ends
      .flatMap(({ table, end }) => ('before' in end && end.before === owner ? [{ table, ...end }] : []))
      .map(({ table, key }) => ` AND NOT EXISTS (SELECT 1 FROM ${table} p WHERE p.${key} = t.id)`)
      .join('');
  return ends.flatMap(({ table, end }) => {
    if ('before' in end) return [removeParts(db, table, end, rulesOf(end.before))];
    if (!('age' in end)) return [];
    return [
      end.remove ? removePages(db, table, end, end.remove) : remove(db, table, end, waitsForParts(table)),
    ];
  });
}

const isOld = ({ age, after = '0', where = 'true' }: Rule) =>
  `${age} < now() - interval '${after}' AND (${where})`;

/** The oldest rows first. Each batch begins where the one before it ended, so that it does not read dead index entries again. */
function remove(db: Db, table: string, rule: Rule, waits: string): Removal {
  const { by = rule.age } = rule;
  let last: string | null = null;
  return repeated(table, async () => {
    const [batch] = await rowsPlannedAnew<{ affected: number; last: string }>(
      db,
      `WITH removed AS (
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT t.ctid FROM ${table} t WHERE ${isOld(rule)}${waits}${last === null ? '' : ` AND ${by} >= $1`}
           ORDER BY ${by} LIMIT ${BATCH_ROWS} FOR UPDATE OF t SKIP LOCKED))
         RETURNING ${by} AS place
       )
       SELECT (count(*) OVER ())::int AS affected, place::text AS last FROM removed ORDER BY place DESC LIMIT 1`,
      last === null ? [] : [last],
    );
    last = batch?.last ?? last;
    return batch?.affected ?? 0;
  });
}

function removeParts(db: Db, table: string, { before, key }: Part, owners: Rule[]): Removal {
  return repeated(table, async () => {
    const removed = await rowsPlannedAnew(
      db,
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT p.ctid FROM ${before} t CROSS JOIN LATERAL (
           SELECT ctid FROM ${table} WHERE ${key} = t.id LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED) p
         WHERE ${owners.map((rule) => `(${isOld(rule)})`).join(' OR ')} LIMIT ${BATCH_ROWS}))
       RETURNING 1`,
    );
    return removed.length;
  });
}

/** As `remove`, but each batch begins after the last row of the one before it, so that rows that stay are not read again. */
function removePages(db: Db, table: string, rule: Rule, removeSome: NonNullable<Rule['remove']>): Removal {
  let last: { id: string; at: string } | undefined;
  return {
    name: table,
    async next() {
      const page: { id: string; at: string }[] = await rowsPlannedAnew(
        db,
        `SELECT t.id, ${rule.age}::text AS at FROM ${table} t
         WHERE ${isOld(rule)}${last ? ` AND (${rule.age}, t.id) > ($1, $2)` : ''}
         ORDER BY ${rule.age}, t.id LIMIT ${BATCH_ROWS}`,
        last ? [last.at, last.id] : [],
      );
      last = page.at(-1) ?? last;
      const affected =
        page.length > 0
          ? await removeSome(
              db,
              page.map(({ id }) => id),
            )
          : 0;
      return { affected, more: page.length === BATCH_ROWS };
    },
  };
}
