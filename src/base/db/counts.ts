import type { Db } from './pool';
import { row, rows } from './query';

/** An upper bound for counts, so that a scrape stays cheap with a long backlog. */
export const MAX_COUNTED = 10_000;

/** Counts the rows of a SELECT, up to MAX_COUNTED. */
export async function countRows(
  db: Db,
  name: string,
  select: string,
  values: unknown[] = [],
): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    name,
    `SELECT count(*)::int AS count FROM (${select} LIMIT ${MAX_COUNTED}) counted`,
    values,
  );
  return found?.count ?? 0;
}

export interface Late {
  kind: string;
  /** Counted up to MAX_COUNTED. */
  late: number;
  /** How long the oldest has been due. */
  seconds: number;
  /** The oldest ones. */
  ids: string[];
}

const NAMED = 3;

/** What is late, for every kind, also those of which nothing is. `sources` selects id and `due_at` of what is late, by kind. */
export function lateRows(db: Db, name: string, sources: Record<string, string>): Promise<Late[]> {
  const parts = Object.entries(sources).map(
    ([kind, select]) => `SELECT '${kind}' AS kind, count(*)::int AS late,
       coalesce(extract(epoch FROM now() - min(due_at))::float8, 0) AS seconds,
       coalesce((array_agg(id::text ORDER BY due_at))[1:${NAMED}], '{}') AS ids
     FROM (${select} LIMIT ${MAX_COUNTED}) late`,
  );
  return rows<Late>(db, name, parts.join(' UNION ALL '));
}

/** SQL: from then on something that was due is late; the relays check it sooner. */
export const LATE = "now() - interval '5 minutes'";
