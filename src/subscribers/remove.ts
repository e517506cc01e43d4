import type { SubscriberIdFormat } from '../contract/ids';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { emitEvent, eraseDueEvents, markEventsForErasure } from '../events';
import { rewriteRecordedResponses } from '../http/idempotency';
import { lockProject } from '../projects';
import { orNotFound, uuidOf } from './changes';
import { onSubscriberChange } from './on-change';
import { personalData, publicIdsOf } from './personal-data';
import { eraseLinks, ownExternalId } from './queries/personal-data';
import { deleteSubscriber, lockSubscriber } from './queries/records';
import { presentSubscriber } from './record';

/**
 * Removes a subscriber and everything that is held about them. Events of theirs that are still to be delivered, this
 * removal's among them, are erased when their last delivery has ended. Lock order: project, then subscriber.
 */
export function removeSubscriber(
  deps: Pick<Core, 'pool' | 'cipher' | 'client' | 'log'>,
  projectId: string,
  publicId: string,
  format: SubscriberIdFormat,
): Promise<void> {
  return withTransaction(deps.pool, async (db) => {
    await lockProject(db, projectId);
    const subscriber = orNotFound(await lockSubscriber(db, projectId, uuidOf(publicId)));
    const { id } = subscriber;
    const own_external_id = await ownExternalId(db, subscriber);
    const person = { ...subscriber, public_ids: publicIdsOf(id), own_external_id };
    if (subscriber.active) {
      await onSubscriberChange(db, projectId, [{ type: 'subscription_ended', subscriberId: id }]);
    }
    for (const data of personalData.entries()) await data.erase?.(db, person, deps);
    await deleteSubscriber(db, projectId, id);
    const linkIds = await eraseLinks(db, subscriber, own_external_id);
    await rewriteRecordedResponses(db, deps.cipher, linkIds, withoutExternalId);
    const data = { ...presentSubscriber(subscriber, format), active: false };
    const event = subscriber.active ? await emitEvent(db, projectId, 'subscription.deleted', data) : null;
    await markEventsForErasure(db, projectId, id, event?.id ?? null);
    await eraseDueEvents(db);
  });
}

/** The view of a subscribe link, as it is after the removal of the subscriber whom it names. */
function withoutExternalId(view: string): string {
  return JSON.stringify({ ...(JSON.parse(view) as object), external_id: null });
}
