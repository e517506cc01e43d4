import type pg from 'pg';
import { afterCommit, withCommitHook, type Db } from '../db/pool';
import type { RunAudited } from '../http/guard';
import { insertAuditEntry, type NewAuditEntry } from './queries/audit';

/**
 * Runs a change and writes its entry in the change's own transaction, the first of `work`. A change that is a single
 * statement gets its entry after it.
 */
export async function audited<T>(pool: pg.Pool, entry: NewAuditEntry, work: () => Promise<T>): Promise<T> {
  let writing: Db | null = null;
  let isWritten = false;
  const result = await withCommitHook(async (db) => {
    if (isWritten || (writing !== null && writing !== db)) return;
    writing = db;
    await insertAuditEntry(db, entry);
    afterCommit(db, () => {
      isWritten = true;
    });
  }, work);
  if (!isWritten) await insertAuditEntry(pool, entry);
  return result;
}

export function createAuditedRequests(pool: pg.Pool): RunAudited {
  return (caller, { action, targetId, ip }, work) =>
    audited(
      pool,
      {
        project_id: caller.id,
        actor_type: caller.member_id === null ? 'key' : 'member',
        actor_id: caller.member_id ?? caller.key_id,
        action,
        target_id: targetId,
        ip,
      },
      work,
    );
}

/** The entry of a change by the operator's command line. */
export function byCli(projectId: string, action: string, targetId: string | null): NewAuditEntry {
  return { project_id: projectId, actor_type: 'cli', actor_id: null, action, target_id: targetId, ip: null };
}
