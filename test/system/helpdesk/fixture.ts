import { randomUUID } from 'node:crypto';
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
