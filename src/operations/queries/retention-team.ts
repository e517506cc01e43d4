import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** People who signed in once and joined no team. */
export function removeUnusedAccounts(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_unused_accounts',
    `DELETE FROM accounts WHERE id IN (
       SELECT a.id FROM accounts a WHERE a.seen_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT 1 FROM members m WHERE m.account_id = a.id)
         AND NOT EXISTS (SELECT 1 FROM dashboard_sessions s WHERE s.account_id = a.id AND s.expires_at > now())
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldInvitations(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_invitations',
    `DELETE FROM invitations WHERE id IN (
       SELECT id FROM invitations WHERE expires_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldAuditEntries(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_audit_entries',
    `DELETE FROM audit_entries WHERE id IN (
       SELECT id FROM audit_entries WHERE at < now() - make_interval(days => $1)
       ORDER BY at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [limits.auditDays],
  );
}

/** Notices that could not be sent for a day. */
export function removeOldNotices(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_notices',
    `DELETE FROM member_notices WHERE id IN (
       SELECT id FROM member_notices WHERE created_at < now() - interval '1 day'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
