import type { Channel } from '../../base/contract/common';
import type { Cursor } from '../../base/contract/cursor';
import type { Db } from '../../base/db/pool';
import { createRegistry } from '../../base/lib/registry';
import type { MessageRecord, MessageSource } from './contract';
import type { StoredContent } from './stored-content';

/** A message to one subscriber. */
export interface StoredMessage {
  id: string;
  project_id: string;
  subscriber_id: string;
  source: MessageSource;
  source_id: string | null;
  channel: Channel;
  status: MessageRecord['status'];
  reason: MessageRecord['reason'];
  /** Null for a one-time code. */
  content: StoredContent | null;
  created_at: Date;
  ended_at: Date | null;
  cursor_at: string;
  /** The broadcast or batch that it belongs to. */
  job_id: string | null;
}

export interface MessageCounts {
  sent: number;
  failed: number;
}

export interface MessageFilter {
  sources: readonly MessageSource[];
  statuses: readonly MessageRecord['status'][];
  sourceId: string | null;
  subscriberId: string | null;
  since: string | null;
  before: Cursor | null;
  limit: number;
}

/** A place where messages are stored. */
export interface MessageStore {
  /** The messages of a project, newest first. Returns one row more than the limit if there is another page. */
  list(db: Db, projectId: string, filter: MessageFilter): Promise<StoredMessage[]>;
  find(db: Db, id: string): Promise<StoredMessage | null>;
  /** Of the last hours. */
  count(db: Db, projectId: string, hours: number): Promise<MessageCounts>;
}

/** Messages that this room does not store: those of broadcasts. */
export const furtherMessages = createRegistry<MessageStore>('furtherMessages');

/**
 * The values of a query for one page of a store, all of whose statements use the same numbers: $1 project, $2 and $3 the place
 * to go on from, $4 since, $5 limit, $6 statuses, $7 sources, $8 source_id, $9 subscriber. A statement that does not filter by
 * one of them names it all the same: PostgreSQL must know its type.
 */
export function pageValues(
  projectId: string,
  filter: MessageFilter,
  own: readonly MessageSource[],
): unknown[] {
  const { before, since, limit, statuses, sources, sourceId, subscriberId } = filter;
  const wanted = own.filter((source) => sources.includes(source));
  return [
    projectId,
    before?.at ?? null,
    before?.id ?? null,
    since,
    limit + 1,
    statuses,
    wanted,
    sourceId,
    subscriberId,
  ];
}
