import { eventBody, type EventData, type EventName } from '../contracts/events';
import type { Db } from './pool';
import { row } from './query';

/**
 * Writes an event in the transaction that causes it: with `db` a transaction's client, the event exists exactly
 * when its cause does.
 */
export async function emitEvent<N extends EventName>(
  db: Db,
  projectId: string,
  name: N,
  data: EventData<N>,
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'insert_event',
    'INSERT INTO events (project_id, name, body) VALUES ($1, $2, $3) RETURNING id',
    [projectId, name, eventBody(name, data)],
  );
  if (!inserted) throw new Error('the event was not inserted');
  return inserted.id;
}
