import type { DeclineReason, LoggedStatus, RequestPurpose, SessionFlow } from '../contract';
import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import { ANSWERER, DECIDED_AT, WAS_CONFIRMED } from './requests';

/** A session as the login log shows it. */
export interface SessionLogRow {
  id: string;
  flow: SessionFlow;
  purpose: RequestPurpose | null;
  status: LoggedStatus;
  decline_reason: DeclineReason | null;
  /** Stays true after the code has expired. */
  was_confirmed: boolean;
  channel: Channel | null;
  subscriber_id: string | null;
  state: string | null;
  client_ip: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  consumed_at: Date | null;
}

/** An unused code expires at its time, even if the workflow has not recorded it yet. */
export const STATUS = `CASE WHEN s.status IN ('confirmed', 'expired') AND s.code_expires_at <= clock_timestamp() THEN 'unredeemed'
  ELSE s.status END`;

export const COLUMNS = `s.id, s.flow, s.purpose, ${STATUS} AS status, s.decline_reason,
  ${WAS_CONFIRMED} AS was_confirmed, s.channel, ${ANSWERER} AS subscriber_id, s.state,
  s.client_ip, s.created_at, s.expires_at, ${DECIDED_AT} AS decided_at, s.consumed_at`;

/** With the subscriber's name and the device. */
export interface NamedSessionRow extends SessionLogRow {
  first_name: string | null;
  username: string | null;
  user_agent: string | null;
  message: string | null;
}

export interface SessionFilter {
  status?: LoggedStatus | undefined;
  flow?: string | undefined;
  channel?: Channel | undefined;
  subscriberId?: string | undefined;
  sessionId?: string | undefined;
  before: Cursor | null;
  limit: number;
}

/** Returns one row more than the limit if there is another page. */
export function listSessions(
  db: Db,
  projectId: string,
  filter: SessionFilter,
): Promise<(NamedSessionRow & { cursor_at: string })[]> {
  return rows<NamedSessionRow & { cursor_at: string }>(
    db,
    filter.sessionId === undefined ? 'list_sessions' : 'find_logged_session',
    `SELECT ${COLUMNS}, s.user_agent, s.message, p.first_name, p.username,
       ${cursorTime('s.created_at')} AS cursor_at
     FROM auth_sessions s LEFT JOIN subscribers p ON p.id = ${ANSWERER}
     WHERE s.project_id = $1
       AND ($2::text IS NULL OR ${STATUS} = $2)
       AND ($3::text IS NULL OR s.flow = $3)
       AND ($4::text IS NULL OR s.channel = $4)
       AND (s.created_at, s.id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       AND ($8::uuid IS NULL OR s.subscriber_id = $8
         OR s.id IN (SELECT r.session_id FROM auth_request_recipients r WHERE r.subscriber_id = $8))
       ${filter.sessionId === undefined ? '' : 'AND s.id = $9'}
     ORDER BY s.created_at DESC, s.id DESC LIMIT $7`,
    [
      projectId,
      filter.status ?? null,
      filter.flow ?? null,
      filter.channel ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
      filter.subscriberId ?? null,
      ...(filter.sessionId === undefined ? [] : [filter.sessionId]),
    ],
  );
}
