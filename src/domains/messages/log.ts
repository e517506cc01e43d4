import type { Db } from '../../base/db/pool';
import { listClicks, singleMessages } from './queries/log';
import { furtherMessages, type MessageCounts, type MessageFilter, type StoredMessage } from './store';

const stores = () => [singleMessages, ...furtherMessages.entries()];

export interface LoggedMessage extends StoredMessage {
  clicks: Date[];
}

/** The messages of a project, newest first. Returns one row more than the limit if there is another page. */
export async function listMessages(
  db: Db,
  projectId: string,
  filter: MessageFilter,
): Promise<LoggedMessage[]> {
  const found: StoredMessage[] = [];
  for (const store of stores()) found.push(...(await store.list(db, projectId, filter)));
  const page = found.sort(newestFirst).slice(0, filter.limit + 1);
  return withClicks(db, page);
}

/** As the stores sort them. */
function newestFirst(one: StoredMessage, other: StoredMessage): number {
  const [a, b] = [one, other].map(({ cursor_at, id }) => `${cursor_at} ${id}`) as [string, string];
  return a < b ? 1 : -1;
}

async function withClicks(db: Db, messages: StoredMessage[]): Promise<LoggedMessage[]> {
  const clicks = await listClicks(
    db,
    messages.map(({ id }) => id),
  );
  return messages.map((message) => ({ ...message, clicks: clicks.get(message.id) ?? [] }));
}

export async function findMessage(db: Db, id: string): Promise<StoredMessage | null> {
  for (const store of stores()) {
    const message = await store.find(db, id);
    if (message) return message;
  }
  return null;
}

export async function findLoggedMessage(
  db: Db,
  projectId: string,
  id: string,
): Promise<LoggedMessage | null> {
  const message = await findMessage(db, id);
  if (message?.project_id !== projectId) return null;
  const [logged] = await withClicks(db, [message]);
  return logged ?? null;
}

export async function countMessages(db: Db, projectId: string, hours: number): Promise<MessageCounts> {
  const total = { sent: 0, failed: 0 };
  for (const store of stores()) {
    const { sent, failed } = await store.count(db, projectId, hours);
    total.sent += sent;
    total.failed += failed;
  }
  return total;
}
