import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { afterCommit, withCommitHook, type Db } from '../../base/db/pool';
import type { RunAudited } from '../../base/http/guard';
import type { AuditedSetting } from './contract';
import { insertAuditEntry, type NewAuditEntry } from './queries/audit';

const described = new AsyncLocalStorage<NewAuditEntry>();

/** Says in the entry of the running change what its target is called and which settings it changes. Before the commit. */
export function describeChange(targetName: string, changes: AuditedSetting[] = []): void {
  const entry = described.getStore();
  if (entry) Object.assign(entry, { target_name: targetName, changes });
}

/** The fields whose values differ. */
export function changedSettings<T extends object>(
  before: T,
  after: T,
  fields: readonly (keyof T & string)[],
): AuditedSetting[] {
  return fields
    .map((field) => ({ field, before: before[field], after: after[field] }) as AuditedSetting)
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/**
 * Runs a change and writes its entry in the change's own transaction, the first of `work`. A change that is a single
 * statement gets its entry after it.
 */
export async function audited<T>(pool: pg.Pool, given: NewAuditEntry, work: () => Promise<T>): Promise<T> {
  const entry = { ...given };
  let writing: Db | null = null;
  let isWritten = false;
  const result = await withCommitHook(
    async (db) => {
      if (isWritten || (writing !== null && writing !== db)) return;
      writing = db;
      await insertAuditEntry(db, entry);
      afterCommit(db, () => {
        isWritten = true;
      });
    },
    () => described.run(entry, work),
  );
  if (!isWritten) await insertAuditEntry(pool, entry);
  return result;
}

export function createAuditedRequests(pool: pg.Pool): RunAudited {
  return (caller, { action, targetId, targetName, ip }, work) =>
    audited(
      pool,
      {
        project_id: caller.id,
        actor_type: caller.member_id === null ? 'key' : 'member',
        actor_id: caller.member_id ?? caller.key_id,
        action,
        target_id: targetId,
        target_name: targetName,
        ip,
      },
      work,
    );
}

/** The entry of a change by the operator's command line. */
export function byCli(projectId: string, action: string, targetId: string | null): NewAuditEntry {
  return { project_id: projectId, actor_type: 'cli', actor_id: null, action, target_id: targetId, ip: null };
}
