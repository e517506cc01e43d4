import { noteChange } from '../../../base/db/changes';
import { notifyAfterCommit, notifyChannels } from '../../../base/db/notify';
import type { Person, PersonalData } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';

/** SQL: whether a session `s` was opened by `person`. */
export const OWN_SESSIONS = `s.project_id = person.project_id AND s.channel = person.channel
       AND s.platform_user_id = person.platform_user_id`;

export const personalData: PersonalData = {
  tables: {
    auth_sessions: {
      held: {
        as: 'logins',
        columns: `s.id AS session_id, s.flow, s.status, s.channel, s.state, s.redirect_uri, s.client_ip, s.user_agent, s.lang,
        s.created_at, s.expires_at, s.decided_at, s.consumed_at AS redeemed_at`,
        from: 'auth_sessions s',
        where: OWN_SESSIONS,
        order: ['s.created_at', 's.id'],
      },
      removal: 'erase',
    },
    auth_prompts: {
      held: {
        as: 'login_questions',
        columns: 't.session_id, t.chat_id, t.message_id, t.created_at, t.closed_at',
        from: 'auth_sessions s JOIN auth_prompts t ON t.session_id = s.id',
        where: `${OWN_SESSIONS} AND t.platform_user_id = person.platform_user_id`,
        order: ['t.created_at', 't.id'],
      },
      removal: 'erase',
    },
    auth_answers: {
      held: {
        as: 'login_answers',
        columns: 't.session_id, t.answer, t.first_name, t.username, t.received_at',
        from: 'auth_sessions s JOIN auth_answers t ON t.session_id = s.id',
        where: OWN_SESSIONS,
        order: ['t.received_at', 't.update_id'],
      },
      removal: 'erase',
    },
    auth_request_recipients: {
      held: {
        as: 'requests',
        columns: 't.session_id, s.purpose, s.message, s.status, t.created_at',
        from: 'auth_request_recipients t JOIN auth_sessions s ON s.id = t.session_id',
        where: 't.subscriber_id = person.id',
        order: ['t.created_at', 't.session_id'],
      },
      removal: 'erase',
    },
    // Of the bot, not of a project: not shown, but removed all the same, and after an hour.
    auth_openings: { removal: 'erase' },
  },
  async erase(db, person) {
    const requestIds = await eraseRecipient(db, person);
    await eraseOwnSessions(db, person);
    await eraseRequests(db, person, requestIds);
    await change(
      db,
      'erase_openings',
      'DELETE FROM auth_openings WHERE channel = $1 AND platform_user_id = $2',
      [person.channel, person.platform_user_id],
    );
  },
};

/**
 * Ends and erases the sessions of `theirs`, with their questions and answers. Number, times and status stay: they count
 * towards the project's limits. The names of the columns that remain say nothing about a person.
 */
const eraseSessions = (theirs: string) => `WITH theirs AS MATERIALIZED (
       SELECT s.id FROM auth_sessions s WHERE ${theirs}
     ), erased AS (
       UPDATE auth_sessions s SET status = CASE WHEN s.status IN ('pending', 'confirmed') THEN 'expired' ELSE s.status END,
         decided_at = coalesce(s.decided_at, clock_timestamp()), platform_user_id = NULL, lang = NULL,
         subscriber_id = NULL, client_ip = NULL, client_address = NULL, site = NULL, user_agent = NULL, state = NULL,
         redirect_uri = NULL, code_sealed = NULL, message = NULL, traceparent = NULL
       FROM theirs WHERE s.id = theirs.id RETURNING s.id
     ), prompts AS (
       DELETE FROM auth_prompts p USING erased WHERE p.session_id = erased.id
     ), answers AS (
       DELETE FROM auth_answers a USING erased WHERE a.session_id = erased.id
     ), polls AS (
       DELETE FROM auth_polls p USING erased WHERE p.session_id = erased.id
     )
     SELECT id FROM erased`;

const PENDING = `s.status = 'pending' ORDER BY s.id FOR UPDATE SKIP LOCKED`;
const ENDED = `s.status <> 'pending' ORDER BY s.id FOR UPDATE`;

async function eraseAndNotify(db: Db, name: string, theirs: string, values: unknown[]): Promise<void> {
  const erased = await rows<{ id: string }>(db, name, eraseSessions(theirs), values);
  for (const { id } of erased) notifyAfterCommit(db, notifyChannels.session, id);
}

/**
 * Lock order: the caller holds the project's lock, which comes after a session's. So a pending session that is locked is
 * left alone: it is being settled, and waits for the project. If that was a Yes, the person becomes a new subscriber.
 */
async function eraseOwnSessions(db: Db, person: Person): Promise<void> {
  const values = [person.project_id, person.channel, person.platform_user_id];
  const theirs = 's.project_id = $1 AND s.channel = $2 AND s.platform_user_id = $3';
  await eraseAndNotify(db, 'erase_pending_sessions', `${theirs} AND ${PENDING}`, values);
  await eraseAndNotify(db, 'erase_ended_sessions', `${theirs} AND ${ENDED}`, values);
  noteChange(db, 'logins', person.project_id);
}

/** Returns the requests that ask the person to confirm. Waits for a question that is being sent, so that it is found. */
async function eraseRecipient(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ session_id: string }>(
    db,
    'erase_request_recipient',
    'DELETE FROM auth_request_recipients WHERE subscriber_id = $1 RETURNING session_id',
    [id],
  );
  return found.map(({ session_id }) => session_id);
}

/**
 * The person's questions and answers in requests, and the requests that asked only them. Requests that another
 * subscriber answered stay.
 */
async function eraseRequests(db: Db, person: Person, requestIds: string[]): Promise<void> {
  if (requestIds.length === 0) return;
  await change(
    db,
    'erase_request_questions',
    `WITH questions AS (
       DELETE FROM auth_prompts WHERE session_id = ANY ($1::uuid[]) AND channel = $2 AND platform_user_id = $3 RETURNING id)
     DELETE FROM auth_answers a USING questions
     WHERE a.session_id = ANY ($1::uuid[]) AND a.prompt_id = questions.id`,
    [requestIds, person.channel, person.platform_user_id],
  );
  const theirs = `s.id = ANY ($1::uuid[]) AND s.subscriber_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM auth_request_recipients r WHERE r.session_id = s.id)`;
  await eraseAndNotify(db, 'erase_pending_requests', `${theirs} AND ${PENDING}`, [requestIds]);
  await eraseAndNotify(db, 'erase_ended_requests', `${theirs} AND ${ENDED}`, [requestIds]);
}
