import type pg from 'pg';
import type { Config } from '../../base/config';
import { AppError, orNotFound } from '../../base/contract/errors';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import {
  filteredSubscriberId,
  lockSubscriber,
  newestActiveSubscriber,
  requireSubscriber,
} from '../subscribers';
import type { SubscriberRecord } from '../subscribers';
import type { Caller as AnyCaller } from '../../base/http/route';
import { authorOf, changeTicket, requireMember, type Author } from './change';
import type { BulkTickets, NewTicket, TicketChanges, TicketFilter } from './contract';
import { createTicket } from './create';
import { findTicket, listTickets, lockTicket, type TicketRow, type TicketSearch } from './queries/tickets';
import { wordsQuery } from './words';

interface Deps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>;
}
type Caller = Pick<AnyCaller, 'id' | 'member_id'>;

export function createByApi(
  { pool, config }: Deps,
  caller: Caller,
  request: NewTicket,
  work: Work,
): Promise<TicketRow> {
  return withTransaction(pool, async (db) => {
    const earlier = work.resumed ? await findTicket(db, caller.id, work.id) : null;
    if (earlier) return earlier;
    const customer = request.customer ?? (await lockCustomer(db, caller.id, request));
    return createTicket(
      db,
      {
        id: work.id,
        projectId: caller.id,
        source: 'api',
        customer,
        text: request.text,
        subject: request.subject,
        typeId: request.type_id,
        priority: request.priority,
        assigneeId: request.assignee_id,
        author: authorOf(caller),
      },
      config.HERALD_SUBSCRIBER_ID_FORMAT,
    );
  });
}

async function lockCustomer(
  db: Db,
  projectId: string,
  { subscriber_id, external_id }: NewTicket,
): Promise<SubscriberRecord> {
  const named =
    subscriber_id === undefined
      ? await newestActiveSubscriber(db, projectId, external_id ?? '')
      : await requireSubscriber(db, projectId, subscriber_id);
  return orNotFound(named && (await lockSubscriber(db, projectId, named.id)), 'subscriber_not_found');
}

export function patchTicket(
  { pool, config }: Deps,
  projectId: string,
  id: string,
  changes: TicketChanges,
  author: Author,
): Promise<TicketRow> {
  return withTransaction(pool, async (db) => {
    const ticket = orNotFound(await lockTicket(db, projectId, id));
    return changeTicket(db, ticket, changes, author, config.HERALD_SUBSCRIBER_ID_FORMAT);
  });
}

/** Each ticket by itself: one that does not exist holds up no other. */
export async function patchTickets(
  deps: Deps,
  caller: Caller,
  { ids, set }: BulkTickets,
): Promise<{ updated: number; failed: { id: string; code: string }[] }> {
  await requireMember(deps.pool, caller.id, set.assignee_id ?? null);
  const failed: { id: string; code: string }[] = [];
  const distinct = [...new Set(ids)];
  for (const id of distinct) {
    try {
      await patchTicket(deps, caller.id, id, set, authorOf(caller));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ id, code: error.code });
    }
  }
  return { updated: distinct.length - failed.length, failed };
}

const NUMBER = /^#?(\d{1,9})$/;

export async function searchTickets(
  db: Db,
  projectId: string,
  { q, number, subscriber_id, type_id, assignee_id, ...filter }: TicketFilter,
  page: Pick<TicketSearch, 'before' | 'limit' | 'sort'>,
): Promise<(TicketRow & { cursor_at: string })[]> {
  const searchedNumber = q === undefined ? undefined : NUMBER.exec(q.trim())?.[1];
  const words = q === undefined || searchedNumber !== undefined ? undefined : wordsQuery(projectId, q);
  // Without a letter or digit it matches nothing.
  if (words === null) return [];
  const numbers = [number, searchedNumber === undefined ? undefined : Number(searchedNumber)].filter(
    (each) => each !== undefined,
  );
  if (new Set(numbers).size > 1) return [];
  return listTickets(db, projectId, {
    ...filter,
    ...page,
    number: numbers[0],
    words,
    typeId: type_id,
    assigneeId: assignee_id === 'none' ? null : assignee_id,
    subscriberId: (await filteredSubscriberId(db, projectId, subscriber_id)) ?? undefined,
  });
}
