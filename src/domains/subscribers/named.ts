import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Db } from '../../base/db/pool';
import { uuidOf } from './changes';
import { findSubscriber, findSubscribersByExternalId } from './queries/records';
import type { SubscriberRecord } from './record';

/** The `wanted` subscribers that a request names, by one id or by an external_id. Throws if there is none. */
export async function requireNamed(
  db: Db,
  projectId: string,
  { subscriber_id, external_id }: { subscriber_id?: string | undefined; external_id?: string | undefined },
  wanted: (subscriber: SubscriberRecord) => boolean = () => true,
): Promise<SubscriberRecord[]> {
  const found =
    subscriber_id === undefined
      ? await findSubscribersByExternalId(db, projectId, external_id ?? '', limits.sendRecipients + 1)
      : [await findSubscriber(db, projectId, uuidOf(subscriber_id))];
  const named = found.filter((subscriber) => subscriber !== null).filter(wanted);
  if (named.length === 0) throw new AppError('subscriber_not_found');
  if (found.length > limits.sendRecipients) {
    throw new AppError(
      'validation_failed',
      `external_id: matches more than ${limits.sendRecipients} subscribers`,
    );
  }
  return named;
}
