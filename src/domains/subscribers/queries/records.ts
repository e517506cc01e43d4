import type pg from 'pg';
import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import { withPipelinedTransaction, type Db } from '../../../base/db/pool';
import { change, row, rows, useStoredPlans } from '../../../base/db/query';
import type { SubscriberRecord } from '../record';
import { SUBSCRIBER_COLUMNS } from './subscriptions';

interface SubscriberFilter {
  channel?: Channel | undefined;
  tag?: string | undefined;
  external_id?: string | undefined;
  active?: boolean | undefined;
  /** The beginning of a name, a username or an external id, or a whole tag. */
  q?: string | undefined;
  uuids?: string[] | undefined;
  before: Cursor | null;
  limit: number;
}

/** Matches that a search takes of each field at most: a search costs the same in a project of any size. */
const SEARCH_MATCHES = 1000;
/** Sorts after every text that begins with the one before it. */
const LAST = `chr(1114111)`;
const begins = (field: string) => `(SELECT id FROM subscribers
         WHERE project_id = $1 AND ${field} ~>=~ lower($9::text) AND ${field} ~<~ (lower($9::text) || ${LAST})
         ORDER BY ${field} USING ~<~ LIMIT ${SEARCH_MATCHES})`;

/** By the indexes `subscribers_by_…`, one for each field. */
const SEARCH = `AND id IN (
         ${begins('lower(left(first_name, 64))')}
         UNION ALL ${begins('lower(left(username, 64))')}
         UNION ALL ${begins('lower(external_id)')}
         UNION ALL (SELECT id FROM subscribers WHERE project_id = $1 AND tags @> ARRAY[$9::text] LIMIT ${SEARCH_MATCHES}))`;

/** Returns one row more than the limit if there is another page. */
export function listSubscribers(
  db: Db,
  projectId: string,
  filter: SubscriberFilter,
): Promise<(SubscriberRecord & { cursor_at: string })[]> {
  return rows<SubscriberRecord & { cursor_at: string }>(
    db,
    `${filter.q === undefined ? 'list' : 'search'}_subscribers${filter.uuids ? '_of_ids' : ''}`,
    `SELECT ${SUBSCRIBER_COLUMNS}, ${cursorTime('created_at')} AS cursor_at FROM subscribers
     WHERE project_id = $1
       AND ($2::text IS NULL OR channel = $2)
       AND ($3::text IS NULL OR tags @> ARRAY[$3])
       AND ($4::text IS NULL OR external_id = $4)
       AND ($5::boolean IS NULL OR active = $5)
       AND (created_at, id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ${filter.q === undefined ? '' : SEARCH}
       ${filter.uuids ? `AND id = ANY($${filter.q === undefined ? 9 : 10}::uuid[])` : ''}
     ORDER BY created_at DESC, id DESC LIMIT $8`,
    [
      projectId,
      filter.channel ?? null,
      filter.tag ?? null,
      filter.external_id ?? null,
      filter.active ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
      ...(filter.q === undefined ? [] : [filter.q.replace(/^@/, '')]),
      ...(filter.uuids ? [filter.uuids] : []),
    ],
  );
}

export function findSubscriber(db: Db, projectId: string, id: string): Promise<SubscriberRecord | null> {
  return row<SubscriberRecord>(
    db,
    'find_subscriber',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE id = $2 AND project_id = $1`,
    [projectId, id],
  );
}

export function findSubscriberOfUser(
  db: Db,
  projectId: string,
  channel: Channel,
  platformUserId: string,
): Promise<SubscriberRecord | null> {
  return row<SubscriberRecord>(
    db,
    'find_subscriber_of_user',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE project_id = $1 AND channel = $2 AND platform_user_id = $3`,
    [projectId, channel, platformUserId],
  );
}

export function lockSubscriber(db: Db, projectId: string, id: string): Promise<SubscriberRecord | null> {
  return row<SubscriberRecord>(
    db,
    'lock_subscriber',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE id = $2 AND project_id = $1 FOR UPDATE`,
    [projectId, id],
  );
}

/** Several subscribers can have the same external id, for example one per channel. */
export function findSubscribersByExternalId(
  db: Db,
  projectId: string,
  externalId: string,
  limit: number,
): Promise<SubscriberRecord[]> {
  return rows<SubscriberRecord>(
    db,
    'subscribers_by_external_id',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE project_id = $1 AND external_id = $2
     ORDER BY created_at, id LIMIT $3`,
    [projectId, externalId, limit],
  );
}

/** The one through whom an external id is reached best. */
export function newestActiveSubscriber(
  db: Db,
  projectId: string,
  externalId: string,
): Promise<SubscriberRecord | null> {
  return row<SubscriberRecord>(
    db,
    'newest_active_subscriber',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE project_id = $1 AND external_id = $2 AND active
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    [projectId, externalId],
  );
}

export function findSubscribers(db: Db, projectId: string, ids: string[]): Promise<SubscriberRecord[]> {
  return rows<SubscriberRecord>(
    db,
    'find_subscribers',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
    [projectId, ids],
  );
}

/** At most `limit` of each external id, oldest first. */
export async function findSubscribersByExternalIds(
  pool: pg.Pool,
  projectId: string,
  externalIds: string[],
  limit: number,
): Promise<SubscriberRecord[]> {
  const columns = SUBSCRIBER_COLUMNS.split(',').map((column) => `found.${column.trim()}`);
  const text = `SELECT ${columns.join(', ')} FROM unnest($2::text[]) AS given (external_id)
     CROSS JOIN LATERAL (
       SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers s WHERE s.project_id = $1 AND s.external_id = given.external_id
       ORDER BY s.created_at, s.id LIMIT $3) found
     ORDER BY found.created_at, found.id`;
  const values = [projectId, externalIds, limit];
  const [, found] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      useStoredPlans(db),
      rows<SubscriberRecord>(db, 'subscribers_by_external_ids', text, values),
    ]),
  );
  return found;
}

export type SubscriberValues = Pick<
  SubscriberRecord,
  'external_id' | 'tags' | 'permissions' | 'timezone' | 'properties'
>;

export async function updateSubscriber(
  db: Db,
  id: string,
  values: SubscriberValues,
): Promise<SubscriberRecord> {
  const updated = await row<SubscriberRecord>(
    db,
    'update_subscriber',
    `UPDATE subscribers SET external_id = $2, tags = $3, permissions = $4, timezone = $5,
       properties = $6, updated_at = now()
     WHERE id = $1 RETURNING ${SUBSCRIBER_COLUMNS}`,
    [
      id,
      values.external_id,
      values.tags,
      values.permissions,
      values.timezone,
      JSON.stringify(values.properties),
    ],
  );
  if (!updated) throw new Error('the subscriber row disappeared while it was locked');
  return updated;
}

/** Locks subscribers in id order. */
export function lockSubscribers(db: Db, projectId: string, ids: string[]): Promise<SubscriberRecord[]> {
  return rows<SubscriberRecord>(
    db,
    'lock_subscribers',
    `SELECT ${SUBSCRIBER_COLUMNS} FROM subscribers WHERE id = ANY ($2::uuid[]) AND project_id = $1
     ORDER BY id FOR UPDATE`,
    [projectId, ids],
  );
}

/** Up to `limit` subscribers of each external id, the oldest first. */
export function idsByExternalIds(
  db: Db,
  projectId: string,
  externalIds: string[],
  limit: number,
): Promise<{ id: string; external_id: string }[]> {
  return rows(
    db,
    'ids_by_external_ids',
    `SELECT found.id, given.external_id FROM unnest($2::text[]) AS given (external_id)
     CROSS JOIN LATERAL (
       SELECT s.id FROM subscribers s WHERE s.project_id = $1 AND s.external_id = given.external_id
       ORDER BY s.created_at, s.id LIMIT $3) found`,
    [projectId, externalIds, limit],
  );
}

/** The caller holds the rows' locks. */
export async function updateSubscribers(db: Db, changed: SubscriberRecord[]): Promise<void> {
  if (changed.length === 0) return;
  const values = changed.map(({ id, tags, permissions, timezone, properties }) => ({
    id,
    tags,
    permissions,
    timezone,
    properties,
  }));
  await change(
    db,
    'update_subscribers',
    `UPDATE subscribers s SET tags = given.tags, permissions = given.permissions, timezone = given.timezone,
       properties = given.properties, updated_at = now()
     FROM jsonb_to_recordset($1::jsonb) AS given (id uuid, tags text[], permissions text[], timezone text, properties jsonb)
     WHERE s.id = given.id`,
    [JSON.stringify(values)],
  );
}

export function deleteSubscriber(db: Db, projectId: string, id: string): Promise<SubscriberRecord | null> {
  return row<SubscriberRecord>(
    db,
    'delete_subscriber',
    `DELETE FROM subscribers WHERE id = $2 AND project_id = $1 RETURNING ${SUBSCRIBER_COLUMNS}`,
    [projectId, id],
  );
}
