import type { Channel } from '../../contract/common';
import { cursorTime } from '../../db/cursor-time';
import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';
import { isAboutSubscriber } from '../../events';

/*
 * Every table that names a person, what of it belongs to a subscriber of a project, and how their removal ends it. This is
 * the one list: `GET /v1/subscribers/{id}/data` reads by it, the removal runs its `erase` statements, and
 * `test/system/subscribers/personal-data.test.ts` fails for a table that looks personal and is not here.
 */

/** The columns of a person that statements find rows by, as `person`. */
const PERSON = `WITH person AS (SELECT $1::uuid AS id, $2::uuid AS project_id, $3::text AS channel,
       $4::text AS platform_user_id, $5::text[] AS public_ids)`;

export interface Person {
  id: string;
  project_id: string;
  channel: Channel;
  platform_user_id: string;
}

/** How the rows of a person are read. The table is `t`, the person is `person`. */
interface Held {
  /** The field of the response: a list, unless it is `single`. */
  as: string;
  single?: true;
  /** SQL: what is shown. Never a hash, a sealed value or an id of another person. */
  columns: string;
  /** SQL: the table, with what it is joined to. */
  from: string;
  where: string;
  /** SQL: the time and the id that a row is sorted by. */
  order: [time: string, id: string];
}

/** What ends the rows of a removed person. */
type Removal =
  /** A foreign key deletes them with the row of this table. */
  | { with: string }
  /** A statement, which can use `person`. It runs before the subscriber is deleted. */
  | { erase: string }
  /** A step of `removeSubscriber` that needs more than one statement. */
  | { step: string };

export type PersonalTable =
  | { held: Held; removal: Removal }
  /** Read together with another table. */
  | { within: string; removal: Removal }
  /** Not data of a project about its subscriber, and why. */
  | { apart: string };

const OWN_SESSIONS = `s.project_id = person.project_id AND s.channel = person.channel
       AND s.platform_user_id = person.platform_user_id`;

export const personalTables: Record<string, PersonalTable> = {
  subscribers: {
    held: {
      as: 'subscriber',
      single: true,
      columns: `t.id AS subscriber_id, t.channel, t.platform_user_id, t.chat_id, t.external_id, t.first_name, t.username, t.lang, t.permissions, t.tags,
        t.timezone, t.properties, t.active, t.blocked, t.created_at, t.updated_at`,
      from: 'subscribers t',
      where: 't.id = person.id',
      order: ['t.created_at', 't.id'],
    },
    removal: { step: 'deleteSubscriber' },
  },

  auth_sessions: {
    held: {
      as: 'logins',
      columns: `s.id AS session_id, s.flow, s.status, s.channel, s.state, s.redirect_uri, s.client_ip, s.user_agent, s.lang,
        s.created_at, s.expires_at, s.decided_at, s.consumed_at`,
      from: 'auth_sessions s',
      where: OWN_SESSIONS,
      order: ['s.created_at', 's.id'],
    },
    removal: { step: 'erasePersonSessions' },
  },
  auth_prompts: {
    held: {
      as: 'login_questions',
      columns: 't.session_id, t.chat_id, t.message_id, t.created_at, t.closed_at',
      from: 'auth_sessions s JOIN auth_prompts t ON t.session_id = s.id',
      where: `${OWN_SESSIONS} AND t.platform_user_id = person.platform_user_id`,
      order: ['t.created_at', 't.id'],
    },
    removal: { step: 'erasePersonSessions' },
  },
  auth_answers: {
    held: {
      as: 'login_answers',
      columns: 't.session_id, t.answer, t.first_name, t.username, t.received_at',
      from: 'auth_sessions s JOIN auth_answers t ON t.session_id = s.id',
      where: OWN_SESSIONS,
      order: ['t.received_at', 't.update_id'],
    },
    removal: { step: 'erasePersonSessions' },
  },

  auth_request_recipients: {
    held: {
      as: 'requests',
      columns: 't.session_id, s.purpose, s.message, s.status, t.created_at',
      from: 'auth_request_recipients t JOIN auth_sessions s ON s.id = t.session_id',
      where: 't.subscriber_id = person.id',
      order: ['t.created_at', 't.session_id'],
    },
    removal: { with: 'subscribers' },
  },

  oidc_logins: {
    held: {
      as: 'openid_logins',
      columns: 't.session_id, t.client_id, t.address, t.created_at',
      from: 'auth_sessions s JOIN oidc_logins t ON t.session_id = s.id',
      where: OWN_SESSIONS,
      order: ['t.created_at', 't.session_id'],
    },
    removal: { step: 'erasePersonSessions' },
  },
  oidc_records: {
    held: {
      as: 'openid_tokens',
      columns: 't.model, t.consumed_at, t.expires_at',
      from: 'oidc_records t',
      where: 't.account_id = person.id',
      order: ['t.expires_at', "encode(t.id_hash, 'hex')"],
    },
    removal: { with: 'subscribers' },
  },

  scheduled: {
    held: {
      as: 'scheduled',
      columns: `t.id AS scheduled_id, t.name, t.content, t.scheduled_at, t.timezone, t.status, t.reason, t.created_at,
        t.ended_at`,
      from: 'scheduled t JOIN subscribers own ON own.project_id = t.project_id',
      where: `own.id = person.id AND (t.subscriber_id = own.id OR t.external_id = own.external_id
        OR EXISTS (SELECT 1 FROM scheduled_results r WHERE r.scheduled_id = t.id AND r.subscriber_id = own.id))`,
      order: ['t.created_at', 't.id'],
    },
    removal: { step: 'erasePersonPlans' },
  },
  drip_enrolments: {
    held: {
      as: 'drip_enrolments',
      columns: `t.id AS enrolment_id, t.drip_id, c.name, t.version, t.properties, t.status, t.reason, t.step_id, t.started_at,
        t.ended_at`,
      from: 'drip_enrolments t JOIN drip_chains c ON c.id = t.drip_id',
      where: 't.subscriber_id = person.id',
      order: ['t.started_at', 't.id'],
    },
    removal: { with: 'subscribers' },
  },
  drip_entrants: { within: 'drip_enrolments', removal: { with: 'subscribers' } },
  scheduled_results: { within: 'scheduled', removal: { step: 'erasePersonPlans' } },
  subscribe_links: {
    held: {
      as: 'subscribe_links',
      columns:
        't.id AS link_id, t.name, t.tags, t.permissions, t.external_id, t.uses, t.last_used_at, t.created_at',
      from: 'subscribe_links t JOIN subscribers u ON u.project_id = t.project_id AND u.external_id = t.external_id',
      where: 'u.id = person.id',
      order: ['t.created_at', 't.id'],
    },
    removal: { step: 'erasePersonLinks' },
  },

  messages: {
    held: {
      as: 'messages',
      columns: `t.id AS delivery_id, t.kind, t.channel, t.content, t.status, t.reason, t.error, t.created_at, t.attempted_at,
        t.ended_at`,
      from: 'messages t',
      where: 't.subscriber_id = person.id',
      order: ['t.created_at', 't.id'],
    },
    removal: { with: 'subscribers' },
  },
  broadcast_recipients: {
    held: {
      as: 'broadcasts',
      columns: `t.broadcast_id AS job_id, t.id AS delivery_id, t.ref, t.channel, coalesce(t.content, b.content) AS content,
        t.status, t.reason, t.error, b.created_at, t.ended_at`,
      from: 'broadcast_recipients t JOIN broadcasts b ON b.id = t.broadcast_id',
      where: 't.subscriber_id = person.id',
      order: ['b.created_at', 't.id'],
    },
    removal: { step: 'erasePersonMessages' },
  },
  button_clicks: {
    held: {
      as: 'button_clicks',
      columns: 't.delivery_id, t.clicked_at',
      from: 'button_clicks t',
      where: `t.delivery_id IN (SELECT m.id FROM messages m WHERE m.subscriber_id = person.id
        UNION ALL SELECT r.id FROM broadcast_recipients r WHERE r.subscriber_id = person.id)`,
      order: ['t.clicked_at', 't.update_id'],
    },
    removal: { step: 'erasePersonMessages' },
  },
  otp_codes: {
    held: {
      as: 'one_time_codes',
      columns: 't.purpose, t.status, t.attempts, t.created_at, t.expires_at',
      from: 'otp_codes t',
      where: 't.subscriber_id = person.id',
      order: ['t.created_at', 't.id'],
    },
    removal: { with: 'subscribers' },
  },

  events: {
    held: {
      as: 'events',
      columns: 'e.id AS event_id, e.body::json AS body, e.created_at',
      from: 'events e',
      where: `${isAboutSubscriber('person.id', 'person.public_ids')} AND e.project_id = person.project_id`,
      order: ['e.created_at', 'e.id'],
    },
    removal: { step: 'markEventsForErasure' },
  },
  tracked_events: {
    held: {
      as: 'tracked_events',
      columns: 't.event_id, t.name, t.properties, t.occurred_at, t.received_at',
      from: 'tracked_events t',
      where: 't.subscriber_id = person.id',
      order: ['t.received_at', 't.id'],
    },
    removal: { with: 'subscribers' },
  },
  event_words: { within: 'events', removal: { with: 'events' } },
  attempts: { within: 'events', removal: { with: 'deliveries' } },

  idempotency_keys: { within: 'messages', removal: { step: 'rewriteRecordedResponses' } },
  import_chunks: { apart: 'A file that the project has sent, for the minutes until it is imported.' },
  bot_updates: { apart: 'Of the bot, not of a project; erased once handled.' },
  auth_openings: { apart: 'Of the bot, not of a project; removed all the same, and after an hour.' },
  chat_pace: { apart: 'Of the bot, not of a project; removed after a minute.' },
  recurring: { apart: 'The text for everybody; read with broadcast_recipients.' },
  broadcasts: { apart: 'The text for everybody; read with broadcast_recipients.' },
  project_brands: { apart: 'About the project.' },
  templates: { apart: 'The text for everybody.' },
  accounts: { apart: 'People of the team, not subscribers.' },
  members: { apart: 'People of the team, not subscribers.' },
  invitations: { apart: 'People of the team, not subscribers.' },
  member_notices: { apart: 'People of the team, not subscribers.' },
  dashboard_sessions: { apart: 'People of the team, not subscribers.' },
  audit_entries: {
    held: {
      as: 'audit',
      columns: 't.action, t.at',
      from: 'audit_entries t',
      where: 't.project_id = person.project_id AND t.target_id = ANY (person.public_ids)',
      order: ['t.at', 't.id'],
    },
    removal: {
      erase: `UPDATE audit_entries t SET target_id = NULL FROM person
       WHERE t.project_id = person.project_id AND t.target_id = ANY (person.public_ids)`,
    },
  },
  project_bots: { apart: 'A bot is no person.' },
  oidc_clients: { apart: 'An application is no person.' },
};

function values({ id, project_id, channel, platform_user_id }: Person, publicIds: string[]): unknown[] {
  return [id, project_id, channel, platform_user_id, publicIds];
}

export interface HeldRow {
  /** The place of the row in its table. */
  at: string;
  key: string;
  [column: string]: unknown;
}

/** The tables of which something is shown, by the field of the response. */
export const heldTables = Object.entries(personalTables).flatMap(([table, entry]) =>
  'held' in entry ? [{ table, ...entry.held }] : [],
);

/** Up to `limit` rows of a person after a row, the oldest first. */
export function readHeld(
  db: Db,
  { table, columns, from, where, order: [time, id] }: (typeof heldTables)[number],
  person: Person,
  publicIds: string[],
  after: Pick<HeldRow, 'at' | 'key'> | null,
  limit: number,
): Promise<HeldRow[]> {
  return rows<HeldRow>(
    db,
    `held_${table}`,
    `${PERSON}
     SELECT ${columns}, ${cursorTime(time)} AS at, (${id})::text AS key FROM person CROSS JOIN ${from}
     WHERE ${where} AND ($6::timestamptz IS NULL OR (${time}, (${id})::text) > ($6::timestamptz, $7::text))
     ORDER BY ${time}, (${id})::text LIMIT $8`,
    [...values(person, publicIds), after?.at ?? null, after?.key ?? null, limit],
  );
}

/** Runs the `erase` statement of every table that has one, in the order of the list. */
export async function erasePersonalTables(db: Db, person: Person, publicIds: string[]): Promise<void> {
  for (const [table, entry] of Object.entries(personalTables)) {
    if ('apart' in entry || !('erase' in entry.removal)) continue;
    await change(db, `erase_${table}`, `${PERSON} ${entry.removal.erase}`, values(person, publicIds));
  }
}
