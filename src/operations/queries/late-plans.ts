import type { Db } from '../../db/pool';
import { rows } from '../../db/query';
import { MAX_COUNTED } from './lag';

/** From then on a plan is late: the relays check each one sooner. */
const LATE = "interval '5 minutes'";

/** SQL, by kind: the id of each late plan, and the time it was due. */
const sources = {
  scheduled: `SELECT id, next_at AS due_at FROM scheduled WHERE ended_at IS NULL AND next_at < now() - ${LATE}`,
  recurring: `SELECT id, next_at AS due_at FROM recurring WHERE next_at < now() - ${LATE}`,
  drip: `SELECT id, next_at AS due_at FROM drip_enrolments
         WHERE ended_at IS NULL AND NOT parked AND next_at < now() - ${LATE}`,
  broadcast: jobs('broadcast'),
  batch: jobs('batch'),
} as const;

/** A job whose worker is alive is due for a check later. */
function jobs(kind: 'broadcast' | 'batch'): string {
  return `SELECT id, start_at AS due_at FROM broadcasts
         WHERE kind = '${kind}' AND status IN ('queued', 'running', 'cancelling') AND start_at < now() - ${LATE}`;
}

export type PlanKind = keyof typeof sources;
export const planKinds = Object.keys(sources) as PlanKind[];

export interface LatePlans {
  kind: PlanKind;
  /** Counted up to MAX_COUNTED. */
  late: number;
  /** How long the oldest has been due. */
  seconds: number;
  /** The oldest ones. */
  ids: string[];
}

const NAMED = 3;

/** What is late, for every kind, also those of which nothing is. */
export function latePlans(db: Db): Promise<LatePlans[]> {
  const parts = planKinds.map(
    (kind) => `SELECT '${kind}' AS kind, count(*)::int AS late,
       coalesce(extract(epoch FROM now() - min(due_at))::float8, 0) AS seconds,
       coalesce((array_agg(id::text ORDER BY due_at))[1:${NAMED}], '{}') AS ids
     FROM (${sources[kind]} LIMIT ${MAX_COUNTED}) late`,
  );
  return rows<LatePlans>(db, 'late_plans', parts.join(' UNION ALL '));
}
