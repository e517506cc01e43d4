import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import type { ActorType } from '../../../base/contract/people';
import type { AuditedSetting } from '../contract';

export interface NewAuditEntry {
  project_id: string;
  actor_type: ActorType;
  actor_id: string | null;
  action: string;
  target_id: string | null;
  /** Default: what the latest entry calls it. */
  target_name?: string | null;
  changes?: AuditedSetting[];
  ip: string | null;
}

export function insertAuditEntry(db: Db, entry: NewAuditEntry): Promise<number> {
  return change(
    db,
    'insert_audit_entry',
    `INSERT INTO audit_entries (project_id, actor_type, actor_id, action, target_id, ip, changes, target_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, (
       SELECT e.target_name FROM audit_entries e WHERE e.project_id = $1 AND e.target_id = $5 AND e.target_name IS NOT NULL
       ORDER BY e.at DESC LIMIT 1)))`,
    [
      entry.project_id,
      entry.actor_type,
      entry.actor_id,
      entry.action,
      entry.target_id,
      entry.ip,
      JSON.stringify(entry.changes ?? []),
      entry.target_name ?? null,
    ],
  );
}

export interface AuditRow extends Required<NewAuditEntry> {
  id: string;
  at: Date;
  cursor_at: string;
}

interface AuditFilter {
  /** An id, `cli` or `system`. */
  actor?: string | undefined;
  action?: string | undefined;
  since?: string | undefined;
  before: Cursor | null;
  limit: number;
}

/** Returns one row more than the limit if there is another page. */
export function listAuditEntries(db: Db, projectId: string, filter: AuditFilter): Promise<AuditRow[]> {
  return rows<AuditRow>(
    db,
    'list_audit_entries',
    `SELECT id, project_id, actor_type, actor_id, action, target_id, target_name, changes, ip, at, ${cursorTime('at')} AS cursor_at
     FROM audit_entries
     WHERE project_id = $1
       AND ($2::text IS NULL OR actor_type = $2 OR actor_id::text = $2)
       AND ($3::text IS NULL OR action = $3)
       AND ($4::timestamptz IS NULL OR at >= $4)
       AND (at, id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY at DESC, id DESC LIMIT $7`,
    [
      projectId,
      filter.actor ?? null,
      filter.action ?? null,
      filter.since ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
}
