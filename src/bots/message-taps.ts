import { formatSubscriberId } from '../contracts/ids';
import { isoTime } from '../contracts/subscribers';
import type { Core } from '../core';
import { emitEvent } from '../db/events';
import { findTappedMessage, insertClick } from '../db/messages';
import { withTransaction } from '../db/pool';
import { buttonDataAt, parseButtonReference } from '../sending/buttons';
import type { Tap } from './login-answers';

/**
 * Taps on the buttons that a project has put under its messages. The reference in a tap can be forged: it counts only
 * for the subscriber whom that very message was for.
 */
export function createMessageTaps({ pool, config }: Pick<Core, 'pool' | 'config'>) {
  return async (tap: Omit<Tap, 'callbackId'>, reference: string): Promise<void> => {
    const named = parseButtonReference(reference);
    if (!named) return;
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
  };
}
