import { type ChatHandlers, type Tap, serves } from '../bots';
import { formatSubscriberId } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import { findProject } from '../projects';
import { lockSubscriber } from '../subscribers';
import { buttonAt, parseButtonReference, type ButtonReference } from './buttons';
import { findMessage } from './log';
import { insertClick } from './queries/messages';
import { contentFor } from './stored-content';

/**
 * Handles taps on the buttons of a project's messages. A client can forge the reference in a tap, so it counts only for
 * the subscriber who received that message.
 */
export function messageChat({ pool, config }: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  async function recordTap(tap: Tap, reference: ButtonReference): Promise<void> {
    const message = await findMessage(pool, reference.messageId);
    if (!message?.content || !serves(tap, message.project_id)) return;
    const { id, project_id: projectId, content: stored } = message;
    await withTransaction(pool, async (db) => {
      // A subscriber who was removed meanwhile leaves nothing behind.
      const subscriber = await lockSubscriber(db, projectId, message.subscriber_id);
      if (subscriber?.channel !== tap.messenger.channel || subscriber.platform_user_id !== tap.user.id) {
        return;
      }
      const project = await findProject(db, projectId);
      const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
      const content = contentFor(stored, { project: project?.name ?? '', format, id });
      const button = buttonAt(content(subscriber), reference.index);
      if (!button) return;
      const click = { ...message, button: button.given, at: tap.receivedAt };
      // The update may be handled again after a crash; count the tap once.
      if (!(await insertClick(db, tap.updateId, click))) return;
      await emitEvent(db, projectId, 'button.clicked', {
        subscriber_id: formatSubscriberId(subscriber.id, format),
        channel: subscriber.channel,
        external_id: subscriber.external_id,
        delivery_id: id,
        data: button.data,
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
