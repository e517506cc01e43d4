import { formatSubscriberId } from '../contract/ids';
import { isoTime } from '../lib/iso-time';
import type { Core } from '../core';
import { emitEvent } from '../events';
import { findTappedMessage, insertClick } from './queries/messages';
import { withTransaction } from '../db/pool';
import { buttonDataAt, parseButtonReference, type ButtonReference } from './buttons';
import type { ChatHandlers, Tap } from '../bots';

/**
 * Taps on the buttons that a project has put under its messages. The reference in a tap can be forged: it counts only
 * for the subscriber whom that very message was for.
 */
export function messageChat({ pool, config }: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  async function noteTap(tap: Tap, named: ButtonReference): Promise<void> {
    const message = await findTappedMessage(pool, named.deliveryId);
    if (!message?.content) return;
    if (message.channel !== tap.messenger.channel || message.platform_user_id !== tap.user.id) return;
    const data = buttonDataAt(message.content, named.place);
    if (data === null) return;
    await withTransaction(pool, async (db) => {
      // The update may be handled again after a crash; the tap counts once.
      if (!(await insertClick(db, tap.updateId, message.id, tap.receivedAt))) return;
      await emitEvent(db, message.project_id, 'button.clicked', {
        subscriber_id: formatSubscriberId(message.subscriber_id, config.HERALD_SUBSCRIBER_ID_FORMAT),
        channel: message.channel,
        external_id: message.external_id,
        delivery_id: message.id,
        data,
        clicked_at: isoTime(tap.receivedAt),
      });
    });
  }

  return {
    async tap(tap) {
      const named = parseButtonReference(tap.data);
      if (!named) return false;
      await noteTap(tap, named);
      await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
      return true;
    },
  };
}
