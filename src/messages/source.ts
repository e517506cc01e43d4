import type { Channel } from '../contract/common';
import type { Cursor } from '../contract/cursor';
import type { Db } from '../db/pool';
import { createRegistry } from '../lib/registry';
import type { MessageRecord } from './contract';
import type { StoredContent } from './stored-content';

/** A message to one subscriber. */
export interface StoredMessage {
  id: string;
  project_id: string;
  subscriber_id: string;
  kind: MessageRecord['kind'];
  channel: Channel;
  status: MessageRecord['status'];
  reason: MessageRecord['reason'];
  /** Null for a one-time code. */
  content: StoredContent | null;
  created_at: Date;
  ended_at: Date | null;
  cursor_at: string;
}

export interface MessageCounts {
  sent: number;
  failed: number;
}

export interface MessageFilter {
  subscriberId: string;
  before: Cursor | null;
  limit: number;
}

/** A place where messages are stored. */
export interface MessageSource {
  /** Messages to one subscriber, newest first. Returns one row more than the limit if there is another page. */
  list(db: Db, projectId: string, filter: MessageFilter): Promise<StoredMessage[]>;
  find(db: Db, id: string): Promise<StoredMessage | null>;
  /** Of the last hours. */
  count(db: Db, projectId: string, hours: number): Promise<MessageCounts>;
}

/** Messages that this room does not store: those of broadcasts. */
export const furtherMessages = createRegistry<MessageSource>('furtherMessages');
