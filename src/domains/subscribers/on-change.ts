import type { Db } from '../../base/db/pool';
import { createRegistry } from '../../base/lib/registry';
import type { Properties } from './contract';

/** A change of a subscriber, or something they did, from which more can follow. */
export type Cause =
  | { type: 'subscription'; subscriberId: string }
  | { type: 'subscription_ended'; subscriberId: string }
  | { type: 'tag_added'; subscriberId: string; tag: string }
  | { type: 'event'; subscriberId: string; name: string; properties: Properties };

/** Runs in the transaction of the causes. */
export type SubscriberChangeHook = (db: Db, projectId: string, causes: readonly Cause[]) => Promise<void>;

export const subscriberChangeHooks = createRegistry<SubscriberChangeHook>('subscriberChangeHooks');

/** Everything that follows from these causes, such as enrolments in drip chains, in the same transaction. */
export async function onSubscriberChange(db: Db, projectId: string, causes: readonly Cause[]): Promise<void> {
  if (causes.length === 0) return;
  for (const hook of subscriberChangeHooks.entries()) await hook(db, projectId, causes);
}

/** Tags that a subscriber did not have before. */
export function addedTags(
  subscriberId: string,
  before: readonly string[],
  after: readonly string[],
): Cause[] {
  return after
    .filter((tag) => !before.includes(tag))
    .map((tag) => ({ type: 'tag_added', subscriberId, tag }));
}
