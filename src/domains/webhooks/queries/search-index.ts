import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';
import { SEARCHED_SINCE } from './search';

/**
 * Few enough that a deletion of one of the events, or a delivery, waits only for milliseconds. Written into the statement: as a
 * parameter it would make Postgres plan for a tenth of the table.
 */
export const INDEX_BATCH = 50;

/**
 * Everything between words becomes a space, also a backslash, line break or tab as JSON escapes it; `SEPARATORS` in search-text.ts takes a
 * search text apart in the same way.
 */
const UNESCAPED = String.raw`replace(replace(replace(replace(v.body, '\\', ' '), '\n', ' '), '\r', ' '), '\t', ' ')`;
/**
 * PostgreSQL refuses more than a megabyte of words; this many characters have less. Text after them is found only among the
 * newest events, which are read.
 */
const INDEXED_CHARACTERS = 200_000;
const WORDS = `to_tsvector('simple',
  left(translate(${UNESCAPED}, '-_@./:+%&=?#"{}[],\\', '                    '), ${INDEXED_CHARACTERS}))`;

/**
 * Events before this moment are all committed: `created_at` is the start of the transaction, so only a transaction that
 * is still open can add one. The second is for transactions whose start the statistics do not show yet. The limit of a
 * minute is for sessions that are not Herald's, such as a backup: they add no events.
 */
const ALL_COMMITTED_BEFORE = `greatest(clock_timestamp() - interval '1 minute', least(clock_timestamp() - interval '1 second',
  (SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())))`;

/**
 * Writes the words of the next events, oldest first, and returns how many events it took; 0 also where another process
 * is already running. One statement, so a crash repeats the whole batch or nothing.
 */
export async function indexNextEvents(db: Db): Promise<number> {
  const done = await row<{ seen: number }>(
    db,
    'index_next_events',
    `WITH progress AS MATERIALIZED (
       SELECT created_at, event_id FROM event_words_progress FOR UPDATE SKIP LOCKED
     ), next AS MATERIALIZED (
       SELECT v.id, v.project_id, v.created_at, v.body FROM progress p CROSS JOIN LATERAL (
         SELECT v.id, v.project_id, v.created_at, v.body FROM events v
         -- One lower bound for the time: beside a second one PostgreSQL would begin at the first of these days.
         WHERE v.created_at >= greatest(${SEARCHED_SINCE}, p.created_at)
           AND (v.created_at, v.id) > (p.created_at, p.event_id)
           AND v.created_at < (SELECT ${ALL_COMMITTED_BEFORE})
         ORDER BY v.created_at, v.id LIMIT ${INDEX_BATCH}) v
     ), present AS (
       -- One that is being deleted is locked.
       SELECT v.id FROM next CROSS JOIN LATERAL (
         SELECT v.id FROM events v WHERE v.id = next.id FOR KEY SHARE SKIP LOCKED) v
     ), written AS (
       INSERT INTO event_words (event_id, project_id, created_at, words)
       SELECT v.id, v.project_id, v.created_at, ${WORDS} FROM next v WHERE v.id IN (SELECT id FROM present)
       ON CONFLICT (event_id) DO NOTHING
     ), moved AS (
       UPDATE event_words_progress SET created_at = last.created_at, event_id = last.id
       FROM (SELECT created_at, id FROM next ORDER BY created_at DESC, id DESC LIMIT 1) last
     )
     SELECT count(*)::int AS seen FROM next`,
  );
  return done?.seen ?? 0;
}
