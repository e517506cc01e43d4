import type { Cursor } from '../../../base/contract/cursor';
import { AppError } from '../../../base/contract/errors';
import { limits } from '../../../base/contract/limits';
import type pg from 'pg';
import { cursorTime } from '../../../base/db/cursor-time';
import { withTransaction, type Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import type { DeliveryStatus } from '../contract';
import type { SearchText } from '../search-text';
import { COLUMNS, IN_FLIGHT, pendingOf, type DeliveryRow } from './deliveries';

/*
 * The log over all endpoints of a project. The statements contain only the given filters, so that each uses the best
 * index; therefore they are not named prepared statements.
 */

export interface SearchFilter {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  endpoint_id?: string | undefined;
  since?: string | undefined;
  before: Cursor | null;
  /** Where the page ends at the latest. */
  scanEnd?: Cursor | null;
  limit: number;
}

export type FoundDelivery = DeliveryRow & { cursor_at: string };

const statusConditions: Record<DeliveryStatus, string> = {
  pending: `d.status = 'pending' AND e.status <> 'disabled'`,
  paused: `d.status = 'pending' AND e.status = 'disabled'`,
  succeeded: `d.status = 'succeeded'`,
  failed: `d.status = 'failed'`,
  cancelled: `d.status = 'cancelled'`,
};

const undelivered = (status: string) =>
  `SELECT u.delivery_id AS id, u.created_at FROM undelivered u WHERE u.endpoint_id = e.id AND u.status = '${status}'`;
/** Where the deliveries of endpoint `e` with a status are listed, with the times by which they are sorted. */
const listedOf: Record<DeliveryStatus, string | null> = {
  pending: pendingOf('e.id'),
  paused: pendingOf('e.id'),
  // Most of the log.
  succeeded: null,
  failed: undelivered('failed'),
  cancelled: undelivered('cancelled'),
};

/** The conditions on a delivery `d` of endpoint `e`, and the parameters after those that are given. */
function conditionsOf(
  filter: SearchFilter,
  values: unknown[],
  { at, id } = { at: 'd.created_at', id: 'd.id' },
): string {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { status, event, endpoint_id, since, before, scanEnd } = filter;
  return [
    'true',
    ...(status ? [statusConditions[status]] : []),
    ...(event ? [`d.event_name = ${parameter(event)}`] : []),
    ...(endpoint_id ? [`e.id = ${parameter(endpoint_id)}`] : []),
    ...(since ? [`${at} >= ${parameter(since)}`] : []),
    ...(before
      ? [`(${at}, ${id}) < (${parameter(before.at)}::timestamptz, ${parameter(before.id)}::uuid)`]
      : []),
    ...(scanEnd
      ? [`(${at}, ${id}) >= (${parameter(scanEnd.at)}::timestamptz, ${parameter(scanEnd.id)}::uuid)`]
      : []),
  ].join(' AND ');
}

/** Columns of a delivery that `COLUMNS` reads. */
const OWN_COLUMNS = `d.id, d.endpoint_id, d.event_id, d.event_name, d.status, d.lane, d.test, d.started, d.failure,
           d.cancel_reason, d.attempts, d.last_http_status, d.last_error, d.created_at, d.first_attempt_at,
           d.next_attempt_at, d.ended_at`;
const FOUND = `${COLUMNS}, ${cursorTime('d.created_at')} AS cursor_at`;
const NEWEST_FIRST = 'ORDER BY d.created_at DESC, d.id DESC';

/** Deliveries of every endpoint, deleted ones included. One row more than the limit tells whether there is another page. */
export async function listAllDeliveries(
  db: Db,
  projectId: string,
  filter: SearchFilter,
): Promise<FoundDelivery[]> {
  const values: unknown[] = [projectId, filter.limit + 1];
  const listed = filter.status ? listedOf[filter.status] : null;
  const order = listed ? { at: 'u.created_at', id: 'u.id' } : { at: 'd.created_at', id: 'd.id' };
  const conditions = conditionsOf(filter, values, order);
  const found = await db.query<FoundDelivery>({
    // A page of each endpoint by its own index, then the newest of them.
    text: `SELECT ${FOUND} FROM endpoints e CROSS JOIN LATERAL (
         SELECT ${OWN_COLUMNS} ${listed ? `FROM (${listed}) u JOIN deliveries d ON d.id = u.id` : 'FROM deliveries d'}
         WHERE d.endpoint_id = e.id AND ${conditions} ORDER BY ${order.at} DESC, ${order.id} DESC LIMIT $2) d ${IN_FLIGHT}
       WHERE e.project_id = $1 ${NEWEST_FIRST} LIMIT $2`,
    values,
  });
  return found.rows;
}

export interface NamedById {
  delivery_id: string | null;
  event_ids: string[];
}

/** What an id names: a delivery, an event, or the event to which a publisher gave it; null if nothing. */
export async function findById(
  db: Db,
  projectId: string,
  id: string,
  isUuid: boolean,
): Promise<NamedById | null> {
  const found = await rows<{ delivery_id: string | null; event_id: string | null }>(
    db,
    'find_by_any_id',
    `SELECT NULL::uuid AS delivery_id, v.id AS event_id FROM events v WHERE v.id = $3::uuid AND v.project_id = $1
     UNION ALL SELECT d.id, NULL FROM deliveries d WHERE d.id = $3::uuid AND d.project_id = $1
     UNION ALL SELECT NULL, p.event_id FROM published_ids p WHERE p.project_id = $1 AND p.id = $2`,
    [projectId, id, isUuid ? id : null],
  );
  if (found.length === 0) return null;
  return {
    delivery_id: found.find(({ delivery_id }) => delivery_id !== null)?.delivery_id ?? null,
    event_ids: found.flatMap(({ event_id }) => event_id ?? []),
  };
}

export async function listNamed(
  db: Db,
  projectId: string,
  { delivery_id, event_ids }: NamedById,
  filter: SearchFilter,
): Promise<FoundDelivery[]> {
  const values: unknown[] = [projectId, filter.limit + 1, event_ids, delivery_id];
  const conditions = conditionsOf(filter, values);
  const found = await db.query<FoundDelivery>({
    text: `SELECT ${FOUND} FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id ${IN_FLIGHT}
       WHERE (d.event_id = ANY ($3::uuid[]) OR d.id = $4::uuid) AND d.project_id = $1 AND ${conditions}
       ${NEWEST_FIRST} LIMIT $2`,
    values,
  });
  return found.rows;
}

/** Older events are not searched. */
export const SEARCHED_SINCE = `now() - interval '${limits.webhookSearchDays} days'`;
const IN_TIME = (created: string) => `${created} > ${SEARCHED_SINCE}`;
/** $2 and $3 are the text in its two spellings, which mostly are one. */
const HAS_TEXT = `(position(lower($2::text) IN lower(v.body)) > 0
         OR ($3::text <> $2::text AND position(lower($3::text) IN lower(v.body)) > 0))`;
/**
 * Events of the last days whose words are not written yet. One bound for the time: beside a second one PostgreSQL does not begin at the
 * compared row, and would read the index of all projects from the first of these days on.
 */
export const NOT_INDEXED = `v.created_at >= greatest(${SEARCHED_SINCE}, (SELECT created_at FROM event_words_progress))
           AND (v.created_at, v.id) > (SELECT created_at, event_id FROM event_words_progress)`;

/** Above this many events with its words, a text is looked for from the newest event on. */
const MOST_CANDIDATES = 5_000;
/** Events that are read at most in that case: this bounds what the worst text costs. */
const MOST_READ = 20_000;
/** Newest events that are read before the index: a text that many events have fills its page from them. */
const FIRST_READ = 500;

/** Bodies can be large: what all statements of one search may take. */
const READ_LIMIT_MS = 3_000;
const QUERY_CANCELED = '57014';

/** Runs statements of a search, in a transaction of their own. */
export type ReadLimit = <T>(read: (db: Db) => Promise<T>) => Promise<T>;

/** For one search, from now on. */
export function createReadLimit(pool: pg.Pool): ReadLimit {
  const endsAt = performance.now() + READ_LIMIT_MS;
  return async (read) => {
    try {
      return await withTransaction(pool, async (db) => {
        // 0 would be no limit.
        const left = Math.max(1, Math.ceil(endsAt - performance.now()));
        await db.query({ text: `SET LOCAL statement_timeout = ${left}` });
        return read(db);
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
      throw new AppError(
        'validation_failed',
        'q: takes too long to find. Use a longer text that begins with a whole word.',
      );
    }
  };
}

/** The search index, whatever the planner expects: any other way would read the words of every event. */
function useSearchIndex(db: Db): Promise<unknown> {
  return db.query({
    text: `SELECT set_config(name, value, true) FROM (VALUES ('enable_seqscan', 'off'), ('enable_indexscan', 'off'),
       ('work_mem', '32MB')) AS setting (name, value)`,
  });
}

/** Indexed events of the last days that have all words, in no order, and at most one more than `MOST_CANDIDATES`. */
async function findCandidates(
  withinLimit: ReadLimit,
  projectId: string,
  { words, isPrefix }: SearchText,
): Promise<string[]> {
  return withinLimit(async (db) => {
    await useSearchIndex(db);
    const { rows: found } = await db.query<{ event_id: string }>({
      text: `SELECT w.event_id FROM event_words w
       -- Each word as one lexeme, in quotes: nothing of it is an operator.
       WHERE ARRAY[w.project_id] @> ARRAY[$1::uuid] AND w.words @@ (
         SELECT string_agg(quote_literal(lower(word)) || CASE WHEN $3 AND place = cardinality($2::text[]) THEN ':*' ELSE '' END,
           ' & ')::tsquery FROM unnest($2::text[]) WITH ORDINALITY AS given (word, place))
         AND ${IN_TIME('w.created_at')} LIMIT ${MOST_CANDIDATES + 1}`,
      values: [projectId, words, isPrefix],
    });
    return found.map(({ event_id }) => event_id);
  });
}

/**
 * Events of the last days whose body contains the text, in no order; null if its words are in so many that the newest
 * are found faster by reading.
 */
export async function findEventsWithText(
  withinLimit: ReadLimit,
  projectId: string,
  text: SearchText,
): Promise<string[] | null> {
  const candidates = await findCandidates(withinLimit, projectId, text);
  if (candidates.length > MOST_CANDIDATES) return null;
  return withinLimit((db) => readCandidates(db, projectId, text, candidates));
}

async function readCandidates(
  db: Db,
  projectId: string,
  text: SearchText,
  candidates: string[],
): Promise<string[]> {
  const { rows: found } = await db.query<{ id: string }>({
    text: `SELECT v.id FROM events v WHERE v.id = ANY ($4::uuid[]) AND ${IN_TIME('v.created_at')} AND ${HAS_TEXT}
       UNION
       SELECT v.id FROM (
         SELECT v.id, v.body FROM events v WHERE v.project_id = $1 AND ${NOT_INDEXED}
         ORDER BY v.created_at DESC LIMIT ${MOST_READ}) v WHERE ${HAS_TEXT}`,
    values: [projectId, text.given, text.escaped, candidates],
  });
  return found.map(({ id }) => id);
}

/** Deliveries whose body contains the text, among the newest events of the last days before the cursor. */
export function readForText(
  withinLimit: ReadLimit,
  projectId: string,
  text: SearchText,
  filter: SearchFilter,
): Promise<FoundDelivery[]> {
  return withinLimit((db) => readNewest(db, projectId, text, filter, MOST_READ));
}

/** The page if the newest events fill it; null if the text is too rare for that. */
export async function readFrequentText(
  withinLimit: ReadLimit,
  projectId: string,
  text: SearchText,
  filter: SearchFilter,
): Promise<FoundDelivery[] | null> {
  const found = await withinLimit((db) => readNewest(db, projectId, text, filter, FIRST_READ));
  return found.length > filter.limit ? found : null;
}

async function readNewest(
  db: Db,
  projectId: string,
  { given, escaped }: SearchText,
  filter: SearchFilter,
  mostRead: number,
): Promise<FoundDelivery[]> {
  const values: unknown[] = [projectId, given, escaped, filter.limit + 1, filter.before?.at ?? null];
  const conditions = conditionsOf(filter, values);
  // Events of one moment are read together: a page that ended among them would lose the others.
  const page = `ORDER BY created_at DESC FETCH FIRST ${mostRead} ROWS WITH TIES`;
  const found = await db.query<FoundDelivery>({
    // An event and its deliveries are written at one moment, so the order of events is that of deliveries.
    text: `SELECT ${FOUND} FROM (
         SELECT v.id, v.created_at FROM (
           SELECT newest.id, newest.created_at, v.body FROM (
             (SELECT v.id, v.created_at FROM events v WHERE v.project_id = $1 AND ${NOT_INDEXED}
                AND v.created_at <= coalesce($5::timestamptz, 'infinity') ${page})
             UNION
             (SELECT w.event_id, w.created_at FROM event_words w WHERE w.project_id = $1 AND ${IN_TIME('w.created_at')}
                AND w.created_at <= coalesce($5::timestamptz, 'infinity') ${page})
             ${page}) newest JOIN events v ON v.id = newest.id AND ${IN_TIME('v.created_at')}) v
         WHERE ${HAS_TEXT} ORDER BY v.created_at DESC) v
       CROSS JOIN LATERAL (
         SELECT ${OWN_COLUMNS} FROM deliveries d WHERE d.event_id = v.id OFFSET 0) d
       JOIN endpoints e ON e.id = d.endpoint_id ${IN_FLIGHT}
       WHERE ${conditions} ORDER BY v.created_at DESC, d.id DESC LIMIT $4`,
    values,
  });
  return found.rows;
}
