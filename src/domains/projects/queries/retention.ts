import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

/** Kept for more than a year, so that bills can be explained. */
const LEDGER = '400 days';

export const retention = (days: number): Retention => ({
  credit_ledger: { age: 'charged_at', after: LEDGER },
  credit_months: { age: 'month', after: LEDGER },
  // Revoked keys.
  api_keys: { age: 'revoked_at', after: `${days} days` },
  dashboard_sessions: { age: 'expires_at' },
  accounts: {
    age: 'seen_at',
    after: `${days} days`,
    where: `NOT EXISTS (SELECT 1 FROM members m WHERE m.account_id = t.id)
      AND NOT EXISTS (SELECT 1 FROM dashboard_sessions s WHERE s.account_id = t.id AND s.expires_at > now())`,
  },
  audit_entries: { age: 'at', after: `${limits.auditDays} days` },
  members: { bounded: 'A project keeps them until it removes them.' },
  invitations: { age: 'expires_at', after: `${days} days` },
  // Notices that could not be sent for a day.
  member_notices: { age: 'created_at', after: '1 day' },
  projects: { bounded: 'The operator creates them.' },
  project_brands: { bounded: 'One row for each project, with a logo of at most 100 KiB.' },
});
