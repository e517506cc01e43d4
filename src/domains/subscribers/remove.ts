import type pg from 'pg';
import { orNotFound } from '../../base/contract/errors';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { inBatches, inTurn } from '../../base/db/batches';
import { withoutCommitHook, withTransaction } from '../../base/db/pool';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import { emitEvent, eraseEventsOf } from '../events';
import { rewriteRecordedResponses } from '../../base/http/idempotency';
import { lockProject } from '../projects';
import { requireSubscriber, uuidOf } from './changes';
import { onSubscriberChange } from './on-change';
import { personalData, publicIdsOf } from './personal-data';
import { eraseLinks, ownExternalId } from './queries/personal-data';
import { deleteSubscriber, lockSubscriber } from './queries/records';
import { presentSubscriber, type SubscriberRecord } from './record';

/**
 * Removes a subscriber and everything that is held about them. Events of theirs that are still to be delivered, this
 * removal's among them, are erased when their last delivery has ended. Lock order: project, then subscriber.
 * What can be many goes first, in batches; after a crash between them the subscriber is still there to be removed.
 */
export async function removeSubscriber(
  deps: Pick<Core, 'pool' | 'cipher' | 'client' | 'log'>,
  projectId: string,
  publicId: string,
  format: SubscriberIdFormat,
): Promise<void> {
  await eraseMany(deps.pool, await requireSubscriber(deps.pool, projectId, publicId));
  return withTransaction(deps.pool, async (db) => {
    await lockProject(db, projectId);
    const subscriber = orNotFound(
      await lockSubscriber(db, projectId, uuidOf(publicId)),
      'subscriber_not_found',
    );
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
    await eraseEventsOf(db, person, event?.id ?? null);
  });
}

async function eraseMany(pool: pg.Pool, subscriber: SubscriberRecord): Promise<void> {
  const person = { ...subscriber, public_ids: publicIdsOf(subscriber.id) };
  const next = (eraseNext: () => Promise<number>) =>
    inTurn(person.project_id, () => withoutCommitHook(eraseNext), { waitMs: SHARE_WAIT_MS });
  for (const { eraseNext } of personalData.entries()) {
    if (eraseNext) await inBatches(() => next(() => eraseNext(pool, person)));
  }
}

/** The view of a subscribe link, as it is after the removal of the subscriber whom it names. */
function withoutExternalId(view: string): string {
  return JSON.stringify({ ...(JSON.parse(view) as object), external_id: null });
}
