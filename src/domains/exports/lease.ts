import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { acquireExport, extendExport, releaseExport } from './queries';

/** How long a project waits after a process was killed during its export. */
const LEASE_SECONDS = 10;
const EXTEND_MS = 3_000;
const RETRY_SECONDS = 5;

export interface ExportLease {
  /** Can be called more than once. */
  release(): Promise<void>;
}

/** A project runs one export at a time, in all processes together. `onLost` is called if another one has taken over. */
export async function leaseExport(
  pool: pg.Pool,
  projectId: string,
  onLost: () => void,
): Promise<ExportLease> {
  const token = randomUUID();
  if (!(await acquireExport(pool, projectId, token, LEASE_SECONDS))) {
    throw new AppError('rate_limit_export', undefined, { retryAfter: RETRY_SECONDS });
  }
  const renewal = setInterval(() => {
    extendExport(pool, projectId, token, LEASE_SECONDS).then(
      (held) => (held ? undefined : onLost()),
      // The next renewal, or the next page, meets the same database.
      () => undefined,
    );
  }, EXTEND_MS);
  renewal.unref();
  return {
    async release() {
      clearInterval(renewal);
      // If it fails, the lease expires by itself.
      await releaseExport(pool, projectId, token).catch(() => undefined);
    },
  };
}
