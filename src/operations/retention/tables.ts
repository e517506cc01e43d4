import { limits } from '../../contract/limits';
import { pruneBotUpdates } from '../../bots';
import type { Db } from '../../db/pool';
import { BATCH, removeExpired, repeated, type NextBatch } from '../queries/removal';
import * as remove from '../queries/retention';
import { removeOldEndpointHours } from '../queries/retention-endpoint-hours';
import {
  removeOldAuditEntries,
  removeOldInvitations,
  removeOldNotices,
  removeUnusedAccounts,
} from '../queries/retention-team';
import { removeExpiredOidcRecords } from '../queries/retention-oidc';
import { MEDIA_UPLOAD_DAYS, removeOldMediaUploads } from '../queries/retention-media';

/** What ends the rows of a table. */
export type TableEnd =
  /** A statement of the retention job deletes them. `days` is `HERALD_RETENTION_DAYS`. */
  | { after: string; remove: (db: Db, days: number) => NextBatch }
  /** They are deleted with the row that they belong to, by a foreign key. */
  | { with: string }
  /** The table does not grow, and why. */
  | { bounded: string };

const retentionDays = 'HERALD_RETENTION_DAYS';
/** Bills of a year can be explained. */
const LEDGER_DAYS = 400;

/**
 * Every table of the database and what ends its rows. `test/system/operations/retention.test.ts` fails for a table that
 * is not here, and ages rows to see them deleted.
 */
export const tableEnds: Record<string, TableEnd> = {
  events: { after: `${retentionDays} after the last delivery ended`, remove: remove.removeOldEvents },
  event_erasures: { with: 'events' },
  event_words: { after: `${limits.webhookSearchDays} days`, remove: remove.removeOldWords },
  deliveries: { with: 'events' },
  delivery_queue: { with: 'deliveries' },
  delivery_retries: { with: 'deliveries' },
  attempts: { with: 'deliveries' },
  tracked_events: { after: retentionDays, remove: remove.removeOldTrackedEvents },
  published_ids: { after: `${limits.publishedIdDays} days`, remove: remove.removeOldPublishedIds },
  endpoints: { after: 'deleted, and the last delivery removed', remove: remove.removeDeletedEndpoints },
  endpoint_hours: { after: `${limits.webhookStatsDays} days`, remove: removeOldEndpointHours },
  endpoint_secrets: { after: 'replaced, 24 hours', remove: (db) => removeExpired(db, 'endpoint_secrets') },

  auth_sessions: { after: retentionDays, remove: remove.removeOldSessions },
  auth_prompts: { with: 'auth_sessions' },
  auth_answers: { with: 'auth_sessions' },
  auth_request_recipients: { with: 'auth_sessions' },
  auth_polls: { after: '1 hour', remove: remove.removeOldPolls },
  auth_openings: { after: '1 hour', remove: remove.removeOldOpenings },
  credit_ledger: {
    after: `${LEDGER_DAYS} days`,
    remove: (db) => remove.removeOldCharges(db, LEDGER_DAYS),
  },
  credit_months: {
    after: `${LEDGER_DAYS} days`,
    remove: (db) => remove.removeOldCreditMonths(db, LEDGER_DAYS),
  },

  oidc_records: { after: '1 hour after it expired', remove: removeExpiredOidcRecords },
  oidc_logins: { with: 'auth_sessions' },
  oidc_client_secrets: {
    after: 'replaced, 24 hours',
    remove: (db) => removeExpired(db, 'oidc_client_secrets'),
  },
  oidc_keys: { after: 'replaced, 24 hours', remove: (db) => removeExpired(db, 'oidc_keys') },

  messages: { after: retentionDays, remove: remove.removeOldMessages },
  otp_codes: { after: '1 day', remove: remove.removeOldOtpCodes },
  button_clicks: { after: retentionDays, remove: remove.removeOldClicks },
  idempotency_keys: {
    after: `${limits.idempotencyHours} hours`,
    remove: remove.removeExpiredIdempotencyKeys,
  },
  scheduled: { after: `${retentionDays} after its end`, remove: remove.removeOldScheduled },
  scheduled_results: { with: 'scheduled' },
  recurring_runs: { after: retentionDays, remove: remove.removeOldRuns },
  recurring: { after: `${retentionDays} after its end`, remove: remove.removeOldRecurring },
  drip_enrolments: { after: `${retentionDays} after its end`, remove: remove.removeOldEnrolments },
  drip_steps: { with: 'drip_enrolments' },
  drip_chains: { after: `${retentionDays} after its removal`, remove: remove.removeOldChains },
  drip_versions: { with: 'drip_chains' },
  drip_entrants: { with: 'drip_chains' },
  broadcast_recipients: { after: retentionDays, remove: remove.removeOldRecipients },
  broadcasts: { after: retentionDays, remove: remove.removeOldBroadcasts },
  imports: { after: retentionDays, remove: remove.removeOldImports },
  import_chunks: { with: 'imports' },
  media_uploads: { after: `${MEDIA_UPLOAD_DAYS} days`, remove: removeOldMediaUploads },

  bot_updates: {
    after: '48 hours, or 30 days if it was set aside',
    remove: (db) => repeated(() => pruneBotUpdates(db, BATCH)),
  },
  chat_pace: { after: '1 minute after the chat is free', remove: remove.removeOldChatPace },
  bot_turns: { after: '1 minute after the wait', remove: remove.removeOldTurns },
  request_counters: { after: '1 hour after its window', remove: remove.removeExpiredCounters },
  api_keys: { after: `${retentionDays} after its revocation`, remove: remove.removeRevokedKeys },
  dashboard_sessions: { after: '12 hours', remove: (db) => removeExpired(db, 'dashboard_sessions', 'hash') },

  accounts: { after: `${retentionDays} without a team and a session`, remove: removeUnusedAccounts },
  members: { bounded: 'A project keeps its members until it removes them.' },
  invitations: { after: `${retentionDays} after it expired`, remove: removeOldInvitations },
  audit_entries: { after: `${limits.auditDays} days`, remove: removeOldAuditEntries },
  member_notices: { after: 'sent, or 1 day', remove: removeOldNotices },

  oidc_clients: { bounded: 'A project has at most 10.' },
  templates: { bounded: 'A project has at most 100.' },
  projects: { bounded: 'The operator creates them.' },
  project_bots: { bounded: 'A project has at most one bot in each channel.' },
  project_brands: { bounded: 'One row for each project, with a logo of at most 100 KB.' },
  exports: { bounded: 'One row for each project.' },
  project_labels: { bounded: 'A project has at most 20 tags and 20 permissions.' },
  subscribe_links: {
    after: `${retentionDays} after it expired or was used up`,
    remove: remove.removeEndedLinks,
  },
  subscribers: { bounded: 'A project keeps its subscribers until it deletes them.' },
  bot_offsets: { bounded: 'One row for each bot, deleted with an own bot.' },
  bot_webhooks: { bounded: 'One row for each bot, deleted with an own bot.' },
  channel_pace: { bounded: 'One row for each bot, deleted with an own bot.' },
  event_words_progress: { bounded: 'One row.' },
  migrations: { bounded: 'One row for each migration.' },
};
