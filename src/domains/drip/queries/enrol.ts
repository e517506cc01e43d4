import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { Cause } from '../../subscribers';
import type { Properties } from '../../subscribers/contract';
import type { Trigger } from '../contract';

export interface TriggeredChain {
  id: string;
  trigger: Trigger;
}

/** Active chains that the causes can trigger. They stay as they are until the transaction ends; others are not locked. */
export function lockTriggeredChains(
  db: Db,
  projectId: string,
  causes: readonly Cause[],
): Promise<TriggeredChain[]> {
  const distinct = (values: string[]) => [...new Set(values)];
  return rows<TriggeredChain>(
    db,
    'lock_triggered_chains',
    `SELECT id, trigger FROM drip_chains
     WHERE project_id = $1 AND status = 'active' AND deleted_at IS NULL AND trigger ->> 'type' = ANY ($2::text[])
       AND (trigger ->> 'name' IS NULL OR trigger ->> 'name' = ANY ($3::text[]))
       AND (trigger ->> 'tag' IS NULL OR trigger ->> 'tag' = ANY ($4::text[]))
     ORDER BY id FOR SHARE`,
    [
      projectId,
      distinct(causes.map(({ type }) => type)),
      distinct(causes.flatMap((cause) => (cause.type === 'event' ? [cause.name] : []))),
      distinct(causes.flatMap((cause) => (cause.type === 'tag_added' ? [cause.tag] : []))),
    ],
  );
}

/** In id order. A cause has mostly locked them itself. */
export async function lockEntrants(db: Db, ids: string[]): Promise<void> {
  await rows(
    db,
    'lock_subscribers_to_enrol',
    'SELECT id FROM subscribers WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    [ids],
  );
}

export interface NewEnrolment {
  chainId: string;
  subscriberId: string;
  properties: Properties;
}

/**
 * Begins the enrolments that are allowed: active chains, active subscribers who are not in the chain, have not used
 * `once`, and have begun it less than `perDay` times in 24 hours. Returns the enrolments that were begun.
 */
export async function insertEnrolments(
  db: Db,
  wanted: NewEnrolment[],
  requestId: string | null,
  perDay: number,
): Promise<{ id: string; project_id: string }[]> {
  // Those of an event are written once for all whom it names.
  const properties = [...new Set(wanted.map((each) => each.properties))];
  const places = new Map(properties.map((each, index) => [each, index + 1]));
  return rows<{ id: string; project_id: string }>(
    db,
    'insert_drip_enrolments',
    `WITH allowed AS (
       SELECT c.id AS drip_id, c.project_id, c.version, s.id AS subscriber_id, given.properties,
         v.steps -> 0 ->> 'id' AS step_id
       FROM (SELECT chain, subscriber, ($6::jsonb[])[place] AS properties
         FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS given (chain, subscriber, place)) given
       JOIN drip_chains c ON c.id = given.chain AND c.status = 'active' AND c.deleted_at IS NULL
       JOIN drip_versions v ON v.drip_id = c.id AND v.version = c.version
       JOIN subscribers s ON s.id = given.subscriber AND s.project_id = c.project_id AND s.active
       WHERE NOT (c.reentry = 'once'
           AND EXISTS (SELECT 1 FROM drip_entrants o WHERE o.drip_id = c.id AND o.subscriber_id = s.id))
         AND (SELECT count(*) FROM drip_enrolments e WHERE e.subscriber_id = s.id AND e.drip_id = c.id
           AND e.started_at > now() - interval '24 hours') < $5
     ), begun AS (
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, request_id, properties, step_id)
       SELECT project_id, drip_id, version, subscriber_id, $4, properties, step_id FROM allowed
       ON CONFLICT (drip_id, subscriber_id) WHERE ended_at IS NULL DO NOTHING
       RETURNING id, project_id, drip_id, subscriber_id
     ), entrants AS (
       INSERT INTO drip_entrants (drip_id, subscriber_id) SELECT drip_id, subscriber_id FROM begun ON CONFLICT DO NOTHING
     )
     SELECT id, project_id FROM begun`,
    [
      wanted.map(({ chainId }) => chainId),
      wanted.map(({ subscriberId }) => subscriberId),
      wanted.map((each) => places.get(each.properties)),
      requestId,
      perDay,
      properties.map((each) => JSON.stringify(each)),
    ],
  );
}

/** Subscribers who are to enter a chain. */
export interface Entry {
  chainId: string;
  subscriberIds: string[];
  properties: Properties;
}

/** Returns their ids. The agenda enrols them later, each entry in a transaction of its own. */
export async function insertEntries(db: Db, entries: Entry[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { chainId, subscriberIds, properties } of entries) {
    const inserted = await rows<{ id: string }>(
      db,
      'insert_drip_entry',
      'INSERT INTO drip_entries (drip_id, subscriber_ids, properties) VALUES ($1, $2, $3) RETURNING id',
      [chainId, subscriberIds, JSON.stringify(properties)],
    );
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids;
}

/** Null if it was taken before. Its chain stays as it is until the transaction ends. */
export async function takeEntry(db: Db, id: string): Promise<Entry | null> {
  const entry = await row<Entry>(
    db,
    'take_drip_entry',
    `DELETE FROM drip_entries WHERE id = $1
     RETURNING drip_id AS "chainId", subscriber_ids AS "subscriberIds", properties`,
    [id],
  );
  if (entry) {
    await row(db, 'share_chain_of_entry', 'SELECT id FROM drip_chains WHERE id = $1 FOR SHARE', [
      entry.chainId,
    ]);
  }
  return entry;
}
