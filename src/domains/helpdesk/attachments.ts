import { Transform, pipeline } from 'node:stream';
import { FileGoneError, PlatformError } from '../bots';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits, MIB } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { Streamed } from '../../base/http/route';
import { endedBy } from '../../base/lib/ended-by';
import { findAttachment, type Attachment } from './queries/messages';
import { requireTicket } from './reply';

/** Types that no browser runs, should it show the file after all. */
const HARMLESS =
  /^(image\/(jpeg|png|gif|webp)|video\/(mp4|webm)|audio\/(ogg|mpeg|mp4)|application\/pdf|text\/plain)$/;
const usualTypes = { photo: 'image/jpeg', video: 'video/mp4', voice: 'audio/ogg', document: null } as const;
const usualNames = { photo: 'photo.jpg', video: 'video.mp4', voice: 'voice.ogg', document: 'file' } as const;

/** A file of a ticket, as the messenger streams it. */
export async function openAttachment(
  { pool, messengers }: Pick<Core, 'pool' | 'messengers'>,
  projectId: string,
  ticketId: string,
  attachmentId: string,
  access: AbortSignal,
): Promise<Streamed> {
  const ticket = await requireTicket(pool, projectId, ticketId);
  const attachment = orNotFound(await findAttachment(pool, ticket.id, attachmentId));
  if (attachment.bytes !== null && attachment.bytes > limits.ticketAttachmentBytes) throw tooLarge();
  const { messenger, isRemoved } = await messengers.find(attachment.channel, attachment.bot);
  if (isRemoved) throw gone();
  if (!messenger) throw new AppError('platform_busy');
  try {
    const { stream, bytes } = await messenger.openFile(attachment.reference, access);
    if (bytes !== null && bytes > limits.ticketAttachmentBytes) {
      stream.destroy();
      throw tooLarge();
    }
    const limited = pipeline(stream, limit(), () => undefined);
    return new Streamed(
      typeOf(attachment),
      attachment.name ?? usualNames[attachment.type],
      endedBy(access, limited),
    );
  } catch (error) {
    if (error instanceof FileGoneError) throw gone();
    if (!(error instanceof PlatformError)) throw error;
    throw error.retryable ? new AppError('platform_busy') : gone();
  }
}

function typeOf({ type, mime }: Attachment): string {
  const stated = mime ?? usualTypes[type] ?? '';
  return HARMLESS.test(stated) ? stated : 'application/octet-stream';
}

/** The messenger may not have stated the length. A file that is too long ends with an error, not as if it were whole. */
function limit(): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limits.ticketAttachmentBytes) done(new Error('the file is too large'));
      else done(null, chunk);
    },
  });
}

function gone(): AppError {
  return new AppError('not_found', 'The messenger does not have this file any more.');
}

function tooLarge(): AppError {
  return new AppError(
    'not_found',
    `Files of up to ${limits.ticketAttachmentBytes / MIB} MB can be downloaded.`,
  );
}
