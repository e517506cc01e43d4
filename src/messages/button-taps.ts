import { type ChatHandlers, type Tap, serves } from '../bots';
import { formatSubscriberId } from '../contract/ids';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../lib/iso-time';
import { lockSubscriber } from '../subscribers';
import { buttonDataAt, parseButtonReference, type ButtonReference } from './buttons';
import { findTappedMessage, insertClick } from './queries/messages';
import { contentFor } from './stored-content';

/**
 * Handles taps on the buttons of a project's messages. A client can forge the reference in a tap, so it counts only for
 * the subscriber who received that message.
 */
export function messageChat({ pool, config }: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  async function recordTap(tap: Tap, reference: ButtonReference): Promise<void> {
    const message = await findTappedMessage(pool, reference.messageId);
    if (!message?.content) return;
    if (message.channel !== tap.messenger.channel || message.platform_user_id !== tap.user.id) return;
    if (!serves(tap, message.project_id)) return;
    const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
    const content = contentFor(message.content, { project: message.project, format, id: message.id });
    const data = buttonDataAt(content({ ...message, id: message.subscriber_id }), reference.index);
    if (data === null) return;
    await withTransaction(pool, async (db) => {
      // A subscriber who was removed meanwhile leaves nothing behind.
      if (!(await lockSubscriber(db, message.project_id, message.subscriber_id))) return;
      // The update may be handled again after a crash; count the tap once.
      if (!(await insertClick(db, tap.updateId, message, tap.receivedAt))) return;
      await emitEvent(db, message.project_id, 'button.clicked', {
        subscriber_id: formatSubscriberId(message.subscriber_id, format),
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
      const reference = parseButtonReference(tap.data);
      if (!reference) return false;
      await recordTap(tap, reference);
      await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
      return true;
    },
  };
}
