import type { Cursor } from '../../contract/cursor';
import { limits } from '../../contract/limits';
import { cursorTime } from '../../db/cursor-time';
import type { Db } from '../../db/pool';
import { rows } from '../../db/query';
import type { DeliveryStatus } from '../contract';
import type { SearchText } from '../search-text';
import { COLUMNS, type DeliveryRow } from './deliveries';

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
  limit: number;
}

export type FoundDelivery = DeliveryRow & { cursor_at: string };

/** As written into a statement, so that partial indexes apply. */
const statusConditions: Record<DeliveryStatus, string> = {
  pending: `d.status = 'pending' AND e.status <> 'disabled'`,
  paused: `d.status = 'pending' AND e.status = 'disabled'`,
  succeeded: `d.status = 'succeeded'`,
  failed: `d.status = 'failed'`,
  cancelled: `d.status = 'cancelled'`,
};

/** The conditions on a delivery `d` of endpoint `e`, and the parameters after those that are given. */
function conditionsOf(filter: SearchFilter, values: unknown[]): string {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { status, event, endpoint_id, since, before } = filter;
  return [
    'true',
    ...(status ? [statusConditions[status]] : []),
    ...(event ? [`d.event_name = ${parameter(event)}`] : []),
    ...(endpoint_id ? [`d.endpoint_id = ${parameter(endpoint_id)}`] : []),
    ...(since ? [`d.created_at >= ${parameter(since)}`] : []),
    ...(before
      ? [`(d.created_at, d.id) < (${parameter(before.at)}::timestamptz, ${parameter(before.id)}::uuid)`]
      : []),
  ].join(' AND ');
}

const FOUND = `${COLUMNS}, ${cursorTime('d.created_at')} AS cursor_at`;
const NEWEST_FIRST = 'ORDER BY d.created_at DESC, d.id DESC';

/** Deliveries of every endpoint, deleted ones included. One row more than the limit tells whether there is another page. */
export async function listAllDeliveries(
  db: Db,
  projectId: string,
  filter: SearchFilter,
): Promise<FoundDelivery[]> {
  const values: unknown[] = [projectId, filter.limit + 1];
  const conditions = conditionsOf(filter, values);
  const found = await db.query<FoundDelivery>({
    // A page of each endpoint by its own index, then the newest of them.
    text: `SELECT ${FOUND} FROM endpoints e CROSS JOIN LATERAL (
         SELECT d.* FROM deliveries d WHERE d.endpoint_id = e.id AND ${conditions} ${NEWEST_FIRST} LIMIT $2) d
       WHERE e.project_id = $1 ${NEWEST_FIRST} LIMIT $2`,
    values,
  });
  return found.rows;
}

/** Deliveries of these events. */
export async function listDeliveriesOfEvents(
  db: Db,
  projectId: string,
  eventIds: string[],
  filter: SearchFilter,
): Promise<FoundDelivery[]> {
  const values: unknown[] = [projectId, filter.limit + 1, eventIds];
  const conditions = conditionsOf(filter, values);
  const found = await db.query<FoundDelivery>({
    text: `SELECT ${FOUND} FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
       WHERE d.event_id = ANY ($3::uuid[]) AND d.project_id = $1 AND ${conditions} ${NEWEST_FIRST} LIMIT $2`,
    values,
  });
  return found.rows;
}

/** The event that an id names: its own, that of one of its deliveries, or the one that its publisher gave it. */
export async function findEventIds(
  db: Db,
  projectId: string,
  id: string,
  isUuid: boolean,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'find_event_ids',
    `SELECT id FROM events WHERE id = CASE WHEN $3 THEN $2::uuid END AND project_id = $1
     UNION SELECT event_id FROM published_ids WHERE project_id = $1 AND id = $2`,
    [projectId, id, isUuid],
  );
  return found.map((event) => event.id);
}

export function findDeliveryRow(db: Db, projectId: string, id: string): Promise<FoundDelivery[]> {
  return rows<FoundDelivery>(
    db,
    'find_delivery_row',
    `SELECT ${FOUND} FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id WHERE d.id = $2 AND d.project_id = $1`,
    [projectId, id],
  );
}

const WORDS = `to_tsvector('simple', translate(v.body, '-_@./:+%&=?#"{}[],\\', '                    '))`;
const IN_TIME = `v.created_at > now() - interval '${limits.webhookSearchDays} days'`;
const HAS_TEXT = `EXISTS (SELECT 1 FROM unnest($2::text[]) text WHERE position(lower(text) IN lower(v.body)) > 0)`;

/** Above this many events with its words, a text is looked for from the newest event on. */
const MOST_CANDIDATES = 20_000;
/** Events that are read at most in that case: this bounds what the worst text costs. */
const MOST_READ = 100_000;

/**
 * Events of the last days whose body contains the text, in no order; null if its words are in so many that the newest
 * are found faster by reading.
 */
export async function findEventsWithText(
  db: Db,
  projectId: string,
  { words, isPrefix, spellings }: SearchText,
): Promise<string[] | null> {
  const found = await rows<{ candidates: number; ids: string[] | null }>(
    db,
    'find_events_with_text',
    `WITH wanted AS (
       -- Each word as one lexeme, in quotes: nothing of it is an operator.
       SELECT string_agg(quote_literal(lower(word)) || CASE WHEN $4 AND place = cardinality($3::text[]) THEN ':*' ELSE '' END,
         ' & ')::tsquery AS query
       FROM unnest($3::text[]) WITH ORDINALITY AS w (word, place)
     ), candidate AS MATERIALIZED (
       SELECT v.id, v.body FROM events v, wanted
       WHERE ARRAY[v.project_id] @> ARRAY[$1::uuid] AND ${WORDS} @@ wanted.query AND ${IN_TIME} LIMIT ${MOST_CANDIDATES + 1}
     )
     SELECT (SELECT count(*)::int FROM candidate) AS candidates,
       (SELECT array_agg(v.id) FROM candidate v WHERE ${HAS_TEXT}) AS ids`,
    [projectId, spellings, words, isPrefix],
  );
  const [result] = found;
  if (!result || result.candidates > MOST_CANDIDATES) return null;
  return result.ids ?? [];
}

/** The newest events whose body contains the text, among the newest of the last days before the cursor. */
export async function findNewestWithText(
  db: Db,
  projectId: string,
  { spellings }: SearchText,
  before: Cursor | null,
  limit: number,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'find_newest_with_text',
    `SELECT v.id FROM (
       SELECT v.id, v.body, v.created_at FROM events v
       WHERE v.project_id = $1 AND ${IN_TIME} AND v.created_at <= coalesce($3::timestamptz, 'infinity')
       ORDER BY v.created_at DESC LIMIT ${MOST_READ}) v
     WHERE ${HAS_TEXT} ORDER BY v.created_at DESC LIMIT $4`,
    [projectId, spellings, before?.at ?? null, limit],
  );
  return found.map(({ id }) => id);
}
