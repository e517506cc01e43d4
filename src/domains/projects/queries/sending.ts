import { PARKED, scheduleAt } from '../../../base/agenda';
import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/**
 * SQL: whether a project may send, that is, whether it is active. Every claim of something that a project sends has this
 * condition, so an inactive project sends nothing from the next claim on. Rows that are not claimed stay as they are until the
 * project is active again.
 */
export const maySend = (projectId: string): string =>
  `EXISTS (SELECT FROM projects sender WHERE sender.id = ${projectId} AND sender.active)`;

/**
 * Parks the row's entry if the project is inactive: the row then waits without a workflow. Returns false if the project is
 * active. Runs in a transaction, whose lock makes a change of the project wait, so that an activation finds every parked entry.
 */
export async function parkUntilActive(
  db: Db,
  kind: string,
  { id, project_id }: { id: string; project_id: string },
): Promise<boolean> {
  // Read without the lock first, because logins of an active project would wait for it.
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

/** As `maySend`, for a step that reads it before it begins. */
export async function projectMaySend(db: Db, projectId: string): Promise<boolean> {
  const found = await row<{ may_send: boolean }>(
    db,
    'project_may_send',
    `SELECT ${maySend('$1::uuid')} AS may_send`,
    [projectId],
  );
  return found?.may_send ?? false;
}
