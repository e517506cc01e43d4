import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';

/** Upper bounds of the latency histogram in milliseconds; one more count is for what takes longer. Stored: never change. */
export const LATENCY_BOUNDS_MS = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

const BUCKET = `width_bucket(r.duration_ms, ARRAY[${LATENCY_BOUNDS_MS.join(', ')}])`;
const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, index) => index);
const HISTOGRAM = `ARRAY[${BUCKETS.map((index) => `count(*) FILTER (WHERE NOT r.is_lost AND ${BUCKET} = ${index})`).join(', ')}]::int[]`;
const SUM = `ARRAY[${BUCKETS.map((index) => `h.latency[${index + 1}] + excluded.latency[${index + 1}]`).join(', ')}]`;

/**
 * Counts the results that this transaction has written, each once: rows of `attempts` that it has not written have
 * another `xmin`. The last statement of the transaction, with the endpoints in id order, so that transactions wait for
 * each other only here and in one order. A 2xx after the attempt was given up as lost takes that failure back.
 */
export function countResults(db: Db, deliveryIds: string[]): Promise<number> {
  return change(
    db,
    'count_results',
    `INSERT INTO endpoint_hours AS h (endpoint_id, hour, succeeded, failed, latency, last_at)
     SELECT r.endpoint_id, r.hour, count(*) FILTER (WHERE r.succeeded),
       count(*) FILTER (WHERE NOT r.succeeded) - count(*) FILTER (WHERE r.succeeded AND r.was_lost), ${HISTOGRAM}, max(r.at)
     FROM (
       SELECT d.endpoint_id, date_trunc('hour', a.claimed_at, 'UTC') AS hour, a.finished_at AS at, a.duration_ms,
         a.error IS NULL AND a.http_status BETWEEN 200 AND 299 AS succeeded,
         a.lost_at IS NOT NULL AS was_lost, coalesce(a.error = 'lost', false) AS is_lost
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE a.delivery_id = ANY ($1::uuid[]) AND a.finished_at IS NOT NULL AND a.xmin = pg_current_xact_id()::xid
     ) r
     GROUP BY r.endpoint_id, r.hour ORDER BY r.endpoint_id, r.hour
     ON CONFLICT (endpoint_id, hour) DO UPDATE SET succeeded = h.succeeded + excluded.succeeded,
       failed = h.failed + excluded.failed, latency = ${SUM}, last_at = greatest(h.last_at, excluded.last_at)`,
    [deliveryIds],
  );
}

const THIS_HOUR = `date_trunc('hour', now(), 'UTC')`;

export interface EndpointDay {
  endpoint_id: string;
  succeeded: number;
  failed: number;
  last_at: Date;
}

/** The last 24 hours of each endpoint, and when it last had a result at all. */
export function lastDayOf(db: Db, endpointIds: string[]): Promise<EndpointDay[]> {
  const recent = `hour > ${THIS_HOUR} - interval '24 hours'`;
  return rows<EndpointDay>(
    db,
    'last_day_of_endpoints',
    `SELECT endpoint_id, coalesce(sum(succeeded) FILTER (WHERE ${recent}), 0)::int AS succeeded,
       coalesce(sum(failed) FILTER (WHERE ${recent}), 0)::int AS failed, max(last_at) AS last_at
     FROM endpoint_hours WHERE endpoint_id = ANY ($1::uuid[]) GROUP BY endpoint_id`,
    [endpointIds],
  );
}

export interface EndpointHour {
  endpoint_id: string;
  at: Date;
  succeeded: number;
  failed: number;
  latency: number[];
}

/** Every one of the last hours of each endpoint, oldest first; those without a result are empty. */
export function listHours(db: Db, endpointIds: string[], hours: number): Promise<EndpointHour[]> {
  return rows<EndpointHour>(
    db,
    'list_endpoint_hours',
    `SELECT e.id AS endpoint_id, at, coalesce(h.succeeded, 0) AS succeeded, coalesce(h.failed, 0) AS failed,
       coalesce(h.latency, '{}') AS latency
     FROM unnest($1::uuid[]) WITH ORDINALITY AS e (id, place)
     CROSS JOIN generate_series(${THIS_HOUR} - make_interval(hours => $2 - 1), ${THIS_HOUR}, interval '1 hour') AS at
     LEFT JOIN endpoint_hours h ON h.endpoint_id = e.id AND h.hour = at ORDER BY e.place, at`,
    [endpointIds, hours],
  );
}

/** What the last count stands for: an attempt has ten seconds, and a little more to end. */
const LONGEST_MS = 11_000;

/** The duration that this share of the attempts does not exceed, interpolated within its bounds; null without attempts. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let passed = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && passed + count >= wanted) {
      const from = LATENCY_BOUNDS_MS[index - 1] ?? 0;
      const to = LATENCY_BOUNDS_MS[index] ?? LONGEST_MS;
      return Math.round(from + ((wanted - passed) / count) * (to - from));
    }
    passed += count;
  }
  return LONGEST_MS;
}
