import type { Db } from '../../db/pool';
import { BATCH, removeExpired, repeatedDelete, type NextBatch, type Retention } from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  oidc_records: { after: '1 hour after it expired', remove: removeExpiredRecords },
  oidc_logins: { with: 'auth_sessions' },
  oidc_client_secrets: {
    after: 'replaced, 24 hours',
    remove: (db) => removeExpired(db, 'oidc_client_secrets'),
  },
  oidc_keys: { after: 'replaced, 24 hours', remove: (db) => removeExpired(db, 'oidc_keys') },
  oidc_clients: { bounded: 'A project has at most 10.' },
};

/** An hour later, so that a device or a client that is late still learns that its code has expired. */
function removeExpiredRecords(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_expired_oidc_records',
    `DELETE FROM oidc_records WHERE (model, id_hash) IN (
       SELECT model, id_hash FROM oidc_records WHERE expires_at < now() - interval '1 hour'
       ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
