import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** An hour later, so that a device or a client that is late still learns that its code has expired. */
export function removeExpiredOidcRecords(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_expired_oidc_records',
    `DELETE FROM oidc_records WHERE (model, id_hash) IN (
       SELECT model, id_hash FROM oidc_records WHERE expires_at < now() - interval '1 hour'
       ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
