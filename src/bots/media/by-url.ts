import type { Channel } from '../../contract/common';
import type { OutgoingMedia } from '../messenger';

const MB = 1_000_000;
const telegramByUrl = { photo: 5 * MB, video: 20 * MB, document: 20 * MB };

/**
 * Whether the platform fetches the media itself. Telegram does up to a size; MAX does for photos. Media of unknown size
 * (`null`) is uploaded; media whose size was never read (`undefined`) is left to the platform.
 */
export function isFetchedByPlatform(channel: Channel, { type, bytes }: OutgoingMedia): boolean {
  if (channel === 'max') return type === 'photo';
  return bytes === undefined || (bytes !== null && bytes <= telegramByUrl[type]);
}
