import { createHash } from 'node:crypto';
import type { Channel } from '../../base/contract/common';
import { platformOf } from './registry';
import type { ReceivedUpdate } from './update';

/** Never fails: an unreadable update is stored too, because the platform would otherwise redeliver it for ever. */
export function parseUpdate(channel: Channel, raw: unknown): ReceivedUpdate {
  const received = platformOf(channel).parseUpdate(raw);
  if (received) return received;
  return {
    dedupeKey: `raw:${createHash('sha256')
      .update(String(JSON.stringify(raw)))
      .digest('base64url')}`,
    chatQueue: 'unreadable',
    sequence: 0,
    parsed: { channel, chatId: '', private: false, user: null, incoming: { kind: 'other' } },
  };
}
