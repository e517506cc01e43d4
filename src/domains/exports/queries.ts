import type { Db } from '../../base/db/pool';
import { change, row } from '../../base/db/query';
import type { Retention } from '../../base/db/retention';

export const retention = (): Retention => ({ exports: { bounded: 'One row for each project.' } });

/** Returns false if the project runs another export. */
export async function acquireExport(
  db: Db,
  projectId: string,
  token: string,
  leaseSeconds: number,
): Promise<boolean> {
  const acquired = await row(
    db,
    'acquire_export',
    `INSERT INTO exports AS e (project_id, token, leased_until)
     VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
     ON CONFLICT (project_id) DO UPDATE SET token = excluded.token, leased_until = excluded.leased_until
       WHERE e.leased_until <= clock_timestamp()
     RETURNING project_id`,
    [projectId, token, leaseSeconds],
  );
  return acquired !== null;
}

/** Returns false if another export has taken the lease over. */
export async function extendExport(
  db: Db,
  projectId: string,
  token: string,
  leaseSeconds: number,
): Promise<boolean> {
  const extended = await change(
    db,
    'extend_export',
    `UPDATE exports SET leased_until = clock_timestamp() + make_interval(secs => $3)
     WHERE project_id = $1 AND token = $2`,
    [projectId, token, leaseSeconds],
  );
  return extended > 0;
}

export async function releaseExport(db: Db, projectId: string, token: string): Promise<void> {
  await change(db, 'release_export', 'DELETE FROM exports WHERE project_id = $1 AND token = $2', [
    projectId,
    token,
  ]);
}
