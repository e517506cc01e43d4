import { randomUUID } from 'node:crypto';
import { thenDue } from '../../support/agenda';
import type { Installation } from '../../support/installation';
import { freshName } from '../messages/fixture';

/** As if a customer had sent it in the bot. */
export async function attachFile(service: Installation, ticket: string): Promise<string> {
  const attachment_id = randomUUID();
  const { file_id } = await service.control.sendFile('telegram', freshName(), { type: 'document' });
  const file = { attachment_id, type: 'document', name: 'a.pdf', mime: null, bytes: 0 };
  await service.pool.query('UPDATE ticket_messages SET attachments = $2 WHERE ticket_id = $1', [
    ticket,
    JSON.stringify([{ ...file, reference: file_id, channel: 'telegram', bot: null }]),
  ]);
  return attachment_id;
}

/** Whether its workflow has something to do: now, or later. */
export async function hasEntry(service: Installation, id: string): Promise<boolean> {
  const found = await service.pool.query(`SELECT 1 FROM agenda WHERE kind = 'ticket' AND id = $1`, [id]);
  return found.rowCount === 1;
}

export type AgedColumn = 'waiting_since' | 'status_since' | 'closed_at' | 'created_at';

/** Moves a time of a ticket back, and has its workflow look. */
export function ageTicket(service: Installation, id: string, column: AgedColumn, days: number) {
  return service.pool.query(
    thenDue('ticket', `UPDATE tickets SET ${column} = ${column} - make_interval(days => $2) WHERE id = $1`),
    [id, days],
  );
}
