/** The public interface of this domain. */
export { audited, byCli, changedSettings, describeChange } from './audit';
export { requireSameOrigin, setSessionCookie, signIn, userAgentOf } from './dashboard-session';
export { findAccountSession } from './queries/dashboard-sessions';
export { chargeLogin } from './charge-login';
export { findProjectWithBilling, isBillingBlocked, lockAndCountSession } from './queries/credits';
export { maySend, parkUntilActive, projectMaySend } from './queries/sending';
export { type StopWork, stoppedWork } from './stop-project';
export { type Account, findAccount, upsertAccount } from './queries/accounts';
export { findLatestProject } from './queries/account-projects';
export { findMember, listMembers } from './queries/members';
export {
  findNotifiedMembers,
  type NotifiedMember,
  queueFormMessages,
  queueNotices,
  queueTicketNotices,
} from './queries/notices';
export { insertAuditEntry } from './queries/audit';
export {
  findProject,
  findProjectBySlug,
  findSystemProject,
  insertSystemProject,
  lockProject,
} from './queries/projects';
export { logoPath, stylePath } from './brand-paths';
