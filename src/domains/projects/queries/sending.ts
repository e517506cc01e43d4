import { PARKED, scheduleAt } from '../../../base/agenda';
import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/**
 * SQL: whether a project may send. The one place that decides it: every claim of something that a project sends has this
 * condition, so an inactive project sends nothing from the next claim on. What is not claimed stays as it is and is claimed
 * once the project is active again.
 */
export const maySend = (projectId: string): string =>
  `EXISTS (SELECT FROM projects sender WHERE sender.id = ${projectId} AND sender.active)`;

/**
 * If the project may not send, what is due for the row waits, without a workflow, until it may. Returns false if it may. Runs in
 * a transaction, for which a change of the project waits: it finds what is parked.
 */
export async function parkUntilActive(
  db: Db,
  kind: string,
  { id, project_id }: { id: string; project_id: string },
): Promise<boolean> {
  // Without the lock, for which logins of an active project would wait.
  if (await projectMaySend(db, project_id)) return false;
  const found = await row<{ active: boolean }>(
    db,
    'lock_sending',
    'SELECT active FROM projects WHERE id = $1 FOR SHARE',
    [project_id],
  );
  if (found?.active) return false;
  await scheduleAt(db, kind, [{ id, project_id, at: PARKED }]);
  return true;
}

/** As `maySend`, for a step that must know it before it begins. */
export async function projectMaySend(db: Db, projectId: string): Promise<boolean> {
  const found = await row<{ may_send: boolean }>(
    db,
    'project_may_send',
    `SELECT ${maySend('$1::uuid')} AS may_send`,
    [projectId],
  );
  return found?.may_send ?? false;
}
