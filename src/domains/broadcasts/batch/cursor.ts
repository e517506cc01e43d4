import { invalidCursor } from '../../../base/contract/cursor';
import { isUuid } from '../../../base/contract/ids';

/** A place in the results of a batch, which are sorted by their place in the request. Opaque to callers. */
export interface ResultCursor {
  position: number;
  id: string;
}

const START: ResultCursor = { position: -1, id: '00000000-0000-0000-0000-000000000000' };

export function encodeResultCursor({ position, id }: ResultCursor): string {
  return Buffer.from(`${position}|${id}`, 'utf8').toString('base64url');
}

export function decodeResultCursor(text: string | undefined): ResultCursor {
  if (text === undefined) return START;
  const [position = '', id = ''] = Buffer.from(text, 'base64url').toString('utf8').split('|');
  if (/^\d{1,6}$/.test(position) && isUuid(id)) return { position: Number(position), id };
  throw invalidCursor();
}
