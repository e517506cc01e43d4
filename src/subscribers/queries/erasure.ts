import { noteChange } from '../../db/changes';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';
import { ofBot } from '../../bots';
import type { SubscriberRecord } from '../record';

/*
 * Steps of a removal that need more than one statement; see personal-data.ts for every table that names a person. Messages
 * and one-time codes go with the subscriber's row by their foreign keys. Each statement finds its rows by an index.
 */

/** Stands for a removed person where a row has to stay. */
export const ERASED_SUBSCRIBER_ID = '00000000-0000-0000-0000-000000000000';

type Person = Pick<SubscriberRecord, 'id' | 'project_id' | 'channel' | 'platform_user_id' | 'bot'>;

/**
 * Ends and erases the sessions of `theirs`, with their questions and answers. Number, times and status stay: they count
 * towards the project's limits. The names of the columns that remain say nothing about a person.
 */
const eraseSessions = (theirs: string) => `WITH theirs AS MATERIALIZED (
       SELECT s.id FROM auth_sessions s WHERE ${theirs}
     ), erased AS (
       UPDATE auth_sessions s SET status = CASE WHEN s.status IN ('pending', 'confirmed') THEN 'expired' ELSE s.status END,
         decided_at = coalesce(s.decided_at, clock_timestamp()), platform_user_id = NULL, chat_id = NULL, lang = NULL,
         subscriber_id = NULL, client_ip = NULL, user_agent = NULL, state = NULL, redirect_uri = NULL, code_sealed = NULL,
         message = NULL, traceparent = NULL
       FROM theirs WHERE s.id = theirs.id RETURNING s.id
     ), prompts AS (
       DELETE FROM auth_prompts p USING erased WHERE p.session_id = erased.id
     ), answers AS (
       DELETE FROM auth_answers a USING erased WHERE a.session_id = erased.id
     ), polls AS (
       DELETE FROM auth_polls p USING erased WHERE p.session_id = erased.id
     ), logins AS (
       UPDATE oidc_logins l SET address = NULL FROM erased WHERE l.session_id = erased.id
     )
     SELECT pg_notify($1, id::text) FROM erased`;

const PENDING = `s.status = 'pending' ORDER BY s.id FOR UPDATE SKIP LOCKED`;
const ENDED = `s.status <> 'pending' ORDER BY s.id FOR UPDATE`;

/**
 * Lock order: the caller holds the project's lock, which comes after a session's. So a pending session that is locked is
 * left alone: it is being settled, and waits for the project. If that was a Yes, the person becomes a new subscriber.
 */
export async function erasePersonSessions(db: Db, person: Person): Promise<void> {
  const values = [notifyChannels.session, person.project_id, person.channel, person.platform_user_id];
  const theirs = 's.project_id = $2 AND s.channel = $3 AND s.platform_user_id = $4';
  await rows(db, 'erase_pending_sessions', eraseSessions(`${theirs} AND ${PENDING}`), values);
  await rows(db, 'erase_ended_sessions', eraseSessions(`${theirs} AND ${ENDED}`), values);
  noteChange(db, 'logins', person.project_id);
}

/** The requests that ask the person to confirm. Read before the person is deleted. */
export async function requestsOf(db: Db, { id }: Pick<Person, 'id'>): Promise<string[]> {
  const found = await rows<{ session_id: string }>(
    db,
    'requests_of_person',
    'SELECT session_id FROM auth_request_recipients WHERE subscriber_id = $1',
    [id],
  );
  return found.map(({ session_id }) => session_id);
}

/**
 * After the person is deleted: erases their questions and answers in requests, and the requests that asked only them.
 * Requests that another subscriber answered stay.
 */
export async function erasePersonRequests(db: Db, person: Person, requestIds: string[]): Promise<void> {
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
  const values = [notifyChannels.session, requestIds];
  const theirs = `s.id = ANY ($2::uuid[]) AND s.subscriber_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM auth_request_recipients r WHERE r.session_id = s.id)`;
  await rows(db, 'erase_pending_requests', eraseSessions(`${theirs} AND ${PENDING}`), values);
  await rows(db, 'erase_ended_requests', eraseSessions(`${theirs} AND ${ENDED}`), values);
}

/**
 * The external_id of the person if no other subscriber of the project has it, else null. Only then is what it names about
 * the person alone. Read before the person is deleted.
 */
export async function ownExternalId(
  db: Db,
  { id, project_id, external_id }: Pick<SubscriberRecord, 'id' | 'project_id' | 'external_id'>,
): Promise<string | null> {
  if (external_id === null) return null;
  const others = await rows<{ id: string }>(
    db,
    'others_with_external_id',
    'SELECT id FROM subscribers WHERE project_id = $1 AND external_id = $2 AND id <> $3 LIMIT 1',
    [project_id, external_id, id],
  );
  return others.length > 0 ? null : external_id;
}

/**
 * Links that gave the person their external_id, and those that would give it again if it is theirs alone (`ownId`). Returns
 * the ids of the links, which are those of the requests that created them.
 */
export async function erasePersonLinks(
  db: Db,
  { project_id, external_id }: Pick<SubscriberRecord, 'project_id' | 'external_id'>,
  ownId: string | null,
): Promise<string[]> {
  if (external_id === null) return [];
  const erased = await rows<{ id: string }>(
    db,
    'erase_subscribe_links',
    `DELETE FROM subscribe_links WHERE project_id = $1 AND external_id = $2 AND (uses > 0 OR external_id = $3::text)
     RETURNING id`,
    [project_id, external_id, ownId],
  );
  return erased.map(({ id }) => id);
}

/** Before the messages are deleted, by which these rows are found. */
export async function erasePersonMessages(db: Db, person: Person): Promise<void> {
  await change(
    db,
    'erase_clicks',
    `DELETE FROM button_clicks WHERE delivery_id IN (
       SELECT id FROM messages WHERE subscriber_id = $1
       UNION ALL SELECT id FROM broadcast_recipients WHERE subscriber_id = $1)`,
    [person.id],
  );
  // A recipient counts towards its broadcast after the removal.
  await change(
    db,
    'erase_recipients',
    `UPDATE broadcast_recipients SET subscriber_id = '${ERASED_SUBSCRIBER_ID}', platform_message_id = NULL, media_message_id = NULL,
       error = NULL, content = NULL, ref = NULL
     WHERE subscriber_id = $1`,
    [person.id],
  );
}

/** What stays of a message to a removed person. */
export const ERASED_CONTENT = { text: '', format: 'plain', buttons: [] };

/** Messages to the person, by their id or by the external_id that is theirs alone. */
const OWN_PLANS = '(subscriber_id = $1 OR (project_id = $2 AND external_id = $3::text))';

/** An open message to a removed person fails when it is due; its text goes now. */
export async function erasePersonPlans(
  db: Db,
  { id, project_id }: Pick<Person, 'id' | 'project_id'>,
  ownId: string | null,
): Promise<void> {
  await change(
    db,
    'erase_scheduled',
    `UPDATE scheduled SET subscriber_id = '${ERASED_SUBSCRIBER_ID}', external_id = NULL, name = NULL, content = $4
     WHERE ${OWN_PLANS}`,
    [id, project_id, ownId, JSON.stringify(ERASED_CONTENT)],
  );
  await change(db, 'erase_scheduled_results', 'DELETE FROM scheduled_results WHERE subscriber_id = $1', [id]);
}

/**
 * Handled updates name no user. Updates that wait are handled first, because they may concern another project of the same
 * bot; those that were set aside are deleted.
 */
export async function erasePersonUpdates(db: Db, person: Person): Promise<void> {
  await change(
    db,
    'erase_openings',
    'DELETE FROM auth_openings WHERE channel = $1 AND platform_user_id = $2',
    [person.channel, person.platform_user_id],
  );
  await change(
    db,
    'erase_set_aside_updates',
    `DELETE FROM bot_updates WHERE set_aside_at IS NOT NULL AND channel = $1 AND lane = ANY ($2::text[])`,
    [person.channel, [null, person.bot].map((bot) => ofBot(bot, `user:${person.platform_user_id}`))],
  );
}

/** The enrolments whose workflows may be running. Read before the person is deleted. */
export async function openEnrolmentsOf(db: Db, { id }: Pick<Person, 'id'>): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'open_enrolments_of_person',
    'SELECT id FROM drip_enrolments WHERE subscriber_id = $1 AND ended_at IS NULL AND NOT parked',
    [id],
  );
  return found.map((each) => each.id);
}

/** The requests of the last days that have sent the person a message or enrolled them, by which their recorded responses are found. */
export async function recentRequestsOf(db: Db, { id }: Pick<Person, 'id'>): Promise<string[]> {
  const found = await rows<{ request_id: string }>(
    db,
    'recent_requests_of_person',
    `SELECT m.request_id FROM messages m WHERE m.subscriber_id = $1 AND m.created_at > now() - interval '2 days'
     UNION SELECT e.request_id FROM drip_enrolments e
     WHERE e.subscriber_id = $1 AND e.request_id IS NOT NULL AND e.started_at > now() - interval '2 days'`,
    [id],
  );
  return found.map(({ request_id }) => request_id);
}

/** The requests of the last days that have scheduled a message to the person. */
export async function recentPlansOf(
  db: Db,
  { id, project_id }: Pick<Person, 'id' | 'project_id'>,
  ownId: string | null,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'recent_plans_of_person',
    `SELECT id FROM scheduled WHERE ${OWN_PLANS} AND created_at > now() - interval '2 days'`,
    [id, project_id, ownId],
  );
  return found.map((each) => each.id);
}
