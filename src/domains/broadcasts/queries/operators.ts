import { countRows, LATE, lateRows, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { JobKind } from '../contract';

/* What operators see of the messages of all projects. */

/** SQL: jobs that are late. The entry of a job whose worker is alive is due later; that of an inactive project is parked. */
const lateJobs = (kind: JobKind) =>
  `SELECT id, due_at FROM agenda WHERE kind = '${kind}' AND due_at < ${LATE}`;

/** Broadcasts and batches that are late. */
export function lateBroadcasts(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_broadcasts', { broadcast: lateJobs('broadcast'), batch: lateJobs('batch') });
}

/** Open broadcasts and batches of a project, counted up to MAX_COUNTED. */
export async function countOpenJobs(
  db: Db,
  projectId: string,
): Promise<Record<'broadcasts' | 'batches', number>> {
  const count = (kind: JobKind) =>
    countRows(
      db,
      `count_open_jobs_${kind}`,
      `SELECT FROM broadcasts WHERE project_id = $1 AND kind = '${kind}' AND status IN ('queued', 'running')`,
      [projectId],
    );
  return { broadcasts: await count('broadcast'), batches: await count('batch') };
}

/** The project that a broadcast or batch belongs to; null if there is none. */
export async function findJobOwner(db: Db, kind: JobKind, id: string): Promise<string | null> {
  const found = await row<{ project_id: string }>(
    db,
    'find_job_owner',
    'SELECT project_id FROM broadcasts WHERE id = $1 AND kind = $2',
    [id, kind],
  );
  return found?.project_id ?? null;
}

export interface OperatorJob {
  id: string;
  project: string;
  status: string;
  total: number;
  created_at: Date;
}

/** Of all projects, or of one; newest first. The API shows a batch that is being cancelled as running. */
export function listOperatorJobs(
  db: Db,
  kind: JobKind,
  filter: { projectId: string | null; status: string | null; limit: number },
): Promise<OperatorJob[]> {
  return rows<OperatorJob>(
    db,
    'list_operator_jobs',
    `SELECT id, project, status, total, created_at FROM (
       SELECT b.id, b.project_id, p.slug AS project, b.total, b.created_at,
         CASE WHEN b.kind = 'batch' AND b.status = 'cancelling' THEN 'running' ELSE b.status END AS status
       FROM broadcasts b JOIN projects p ON p.id = b.project_id WHERE b.kind = $4
     ) job
     WHERE ($1::uuid IS NULL OR project_id = $1) AND ($2::text IS NULL OR status = $2)
     ORDER BY created_at DESC, id DESC LIMIT $3`,
    [filter.projectId, filter.status, filter.limit, kind],
  );
}

export interface OperatorMessage {
  id: string;
  project_slug: string;
  source: string;
  channel: string;
  status: string;
  reason: string | null;
  at: Date;
}

/**
 * Single messages by their creation, and those of broadcasts and batches by their end: thousands of queued recipients would
 * hide all others. Newest first, up to the limit of each. Not prepared: the statement has only the given filters.
 */
export async function searchMessages(
  db: Db,
  { projectId, since, limit }: { projectId?: string | undefined; since: string; limit: number },
): Promise<OperatorMessage[]> {
  const ofProject = projectId === undefined ? '' : 'AND p.id = $3';
  const found = await db.query<OperatorMessage>({
    text: `SELECT id, project_slug, source, channel, status, reason, at FROM (
         (SELECT m.id, p.slug AS project_slug, m.source, m.channel, m.status, m.reason, m.created_at AS at
          FROM messages m JOIN projects p ON p.id = m.project_id
          WHERE m.created_at >= $1 ${ofProject}
          ORDER BY m.created_at DESC, m.id DESC LIMIT $2)
         UNION ALL
         (SELECT r.id, p.slug, b.source, r.channel, r.status, r.reason, r.ended_at
          FROM broadcasts b JOIN projects p ON p.id = b.project_id JOIN broadcast_recipients r ON r.broadcast_id = b.id
          WHERE (b.status IN ('queued', 'running', 'cancelling') OR b.ended_at >= $1) AND r.ended_at >= $1
            AND r.channel <> '' ${ofProject}
          ORDER BY r.ended_at DESC, r.id DESC LIMIT $2)
       ) message ORDER BY at DESC, id DESC`,
    values: [since, limit, ...(projectId === undefined ? [] : [projectId])],
  });
  return found.rows;
}
