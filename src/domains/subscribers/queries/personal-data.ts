import { cursorTime } from '../../../base/db/cursor-time';
import {
  PERSON,
  personValues,
  type Held,
  type Person,
  type PersonalData,
} from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import type { SubscriberRecord } from '../record';

/** `removeSubscriber` ends these rows itself. */
export const ownPersonalData: PersonalData = {
  tables: {
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
      removal: 'erase',
    },
    subscribe_links: {
      held: {
        as: 'subscribe_links',
        columns:
          't.id AS link_id, t.name, t.tags, t.permissions, t.external_id, t.uses, t.last_used_at, t.created_at',
        from: 'subscribe_links t JOIN subscribers u ON u.project_id = t.project_id AND u.external_id = t.external_id',
        where: 'u.id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: 'erase',
    },
  },
};

export interface HeldRow {
  /** The place of the row in its table. */
  at: string;
  key: string;
  [column: string]: unknown;
}

/** Up to `limit` rows of a person after a row, the oldest first. */
export function readHeld(
  db: Db,
  { table, columns, from, where, order: [time, id] }: { table: string } & Held,
  person: Person,
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
    [...personValues(person), after?.at ?? null, after?.key ?? null, limit],
  );
}

/** The external_id of a subscriber if no other subscriber of the project has it, else null. */
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
 * Links that gave a subscriber their external_id, and those that would give it again if it is theirs alone (`ownId`).
 * Returns the ids of the links, which are those of the requests that created them.
 */
export async function eraseLinks(
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
