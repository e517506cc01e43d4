import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import {
  BATCH,
  removeExpired,
  removeOld,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** Kept for more than a year, so that bills can be explained. */
const LEDGER_DAYS = 400;

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  credit_ledger: { after: `${LEDGER_DAYS} days`, remove: removeOldCharges },
  credit_months: { after: `${LEDGER_DAYS} days`, remove: removeOldCreditMonths },
  api_keys: { after: `${retentionDays} after its revocation`, remove: removeRevokedKeys },
  dashboard_sessions: { after: '12 hours', remove: (db) => removeExpired(db, 'dashboard_sessions', 'hash') },
  accounts: { after: `${retentionDays} without a team and a session`, remove: removeUnusedAccounts },
  audit_entries: { after: `${limits.auditDays} days`, remove: removeOldAuditEntries },
  members: { bounded: 'A project keeps them until it removes them.' },
  invitations: { after: `${retentionDays} after it expired`, remove: removeOldInvitations },
  member_notices: { after: 'sent, or 1 day', remove: removeOldNotices },
  projects: { bounded: 'The operator creates them.' },
  project_brands: { bounded: 'One row for each project, with a logo of at most 100 KiB.' },
};

function removeOldCharges(db: Db): NextBatch {
  return removeOld(db, { table: 'credit_ledger', id: 'session_id', age: 'charged_at', days: LEDGER_DAYS });
}

function removeOldCreditMonths(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_credit_months',
    `DELETE FROM credit_months WHERE (project_id, month) IN (
       SELECT project_id, month FROM credit_months WHERE month < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [LEDGER_DAYS],
  );
}

function removeRevokedKeys(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_revoked_keys',
    `DELETE FROM api_keys WHERE id IN (
       SELECT id FROM api_keys WHERE revoked_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Accounts that are in no team. */
function removeUnusedAccounts(db: Db, days: number): NextBatch {
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

function removeOldAuditEntries(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_audit_entries',
    `DELETE FROM audit_entries WHERE id IN (
       SELECT id FROM audit_entries WHERE at < now() - make_interval(days => $1)
       ORDER BY at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [limits.auditDays],
  );
}

function removeOldInvitations(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_invitations',
    `DELETE FROM invitations WHERE id IN (
       SELECT id FROM invitations WHERE expires_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Notices that could not be sent for a day. */
function removeOldNotices(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_notices',
    `DELETE FROM member_notices WHERE id IN (
       SELECT id FROM member_notices WHERE created_at < now() - interval '1 day'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
