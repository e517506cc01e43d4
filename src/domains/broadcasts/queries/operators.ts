import { LATE, lateRows, MAX_COUNTED, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import type { JobKind } from '../contract';

/* What operators see of the messages of all projects. */

/** SQL: jobs that are late. The entry of a job whose worker is alive is due later; that of an inactive project is parked. */
const lateJobs = (kind: JobKind) =>
  `SELECT id, due_at FROM agenda WHERE kind = '${kind}' AND due_at < ${LATE}`;

/** Scheduled and recurring messages, broadcasts and batches that are late. */
export function lateBroadcasts(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_broadcasts', {
    scheduled: `SELECT id, next_at AS due_at FROM scheduled
      WHERE ended_at IS NULL AND next_at < ${LATE} AND ${maySend('project_id')}`,
    recurring: `SELECT id, next_at AS due_at FROM recurring WHERE next_at < ${LATE} AND ${maySend('project_id')}`,
    broadcast: lateJobs('broadcast'),
    batch: lateJobs('batch'),
  });
}

/** Open messages of a project, counted up to MAX_COUNTED. A scheduled message that has become a broadcast counts as one. */
export async function countOpen(
  db: Db,
  projectId: string,
): Promise<Record<'broadcasts' | 'batches' | 'scheduled' | 'recurring', number>> {
  const counted = (select: string) => `(SELECT count(*)::int FROM (${select} LIMIT ${MAX_COUNTED}) counted)`;
  const jobs = (kind: JobKind) =>
    counted(
      `SELECT FROM broadcasts WHERE project_id = $1 AND kind = '${kind}' AND status IN ('queued', 'running')`,
    );
  const found = await row<Awaited<ReturnType<typeof countOpen>>>(
    db,
    'count_open_of_project',
    `SELECT ${jobs('broadcast')} AS broadcasts, ${jobs('batch')} AS batches,
       ${counted('SELECT FROM scheduled WHERE project_id = $1 AND ended_at IS NULL AND job_id IS NULL')} AS scheduled,
       ${counted("SELECT FROM recurring WHERE project_id = $1 AND status = 'active'")} AS recurring`,
    [projectId],
  );
  return found ?? { broadcasts: 0, batches: 0, scheduled: 0, recurring: 0 };
}

/** SQL, by kind: the project of one with the id $1. */
const owners: Record<EntryKind, string> = {
  broadcast: `SELECT project_id FROM broadcasts WHERE id = $1 AND kind = 'broadcast'`,
  batch: `SELECT project_id FROM broadcasts WHERE id = $1 AND kind = 'batch'`,
  scheduled: 'SELECT project_id FROM scheduled WHERE id = $1',
  recurring: 'SELECT project_id FROM recurring WHERE id = $1 AND deleted_at IS NULL',
};

/** The project that a message of this kind belongs to; null if there is none. */
export async function findOwnerOf(db: Db, kind: EntryKind, id: string): Promise<string | null> {
  const found = await row<{ project_id: string }>(db, `find_owner_of_${kind}`, owners[kind], [id]);
  return found?.project_id ?? null;
}

export interface OperatorEntry {
  id: string;
  project: string;
  name: string | null;
  status: string;
  /** Null for a broadcast or batch, which has a total. */
  next_at: Date | null;
  total: number | null;
  /** Of a recurring message. */
  cron: string | null;
  created_at: Date;
}

export type EntryKind = 'broadcast' | 'batch' | 'scheduled' | 'recurring';

/** SQL, by kind: the same columns for each. */
const entries: Record<EntryKind, string> = {
  broadcast: `SELECT b.id, b.project_id, NULL AS name, b.status, NULL::timestamptz AS next_at, b.total, NULL AS cron, b.created_at
    FROM broadcasts b WHERE b.kind = 'broadcast'`,
  // As in the API, which shows a batch that is being cancelled as running.
  batch: `SELECT b.id, b.project_id, NULL AS name, CASE b.status WHEN 'cancelling' THEN 'running' ELSE b.status END AS status,
    NULL::timestamptz AS next_at, b.total, NULL AS cron, b.created_at FROM broadcasts b WHERE b.kind = 'batch'`,
  scheduled: `SELECT s.id, s.project_id, s.name, s.status, s.next_at, NULL::int AS total, NULL AS cron, s.created_at
    FROM scheduled s`,
  recurring: `SELECT r.id, r.project_id, r.name, r.status, r.next_at, NULL::int AS total, r.cron, r.created_at FROM recurring r`,
};

/** Of all projects, or of one; newest first. */
export function listOperatorEntries(
  db: Db,
  kind: EntryKind,
  filter: { projectId: string | null; status: string | null; limit: number },
): Promise<OperatorEntry[]> {
  return rows<OperatorEntry>(
    db,
    `list_operator_${kind}`,
    `SELECT entry.id, p.slug AS project, entry.name, entry.status, entry.next_at, entry.total, entry.cron, entry.created_at
     FROM (${entries[kind]}) entry JOIN projects p ON p.id = entry.project_id
     WHERE ($1::uuid IS NULL OR entry.project_id = $1) AND ($2::text IS NULL OR entry.status = $2)
     ORDER BY entry.created_at DESC, entry.id DESC LIMIT $3`,
    [filter.projectId, filter.status, filter.limit],
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
