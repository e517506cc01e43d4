/** The public interface of this domain. */
export { filteredSubscriberId, publicIdOf, requireSubscriber } from './changes';
export { defineLabels, type LabelUse } from './labels';
export { personOf, userOf } from './messenger-user';
export { requireNamed } from './named';
export { addedTags, onSubscriberChange, type Cause } from './on-change';
export { ERASED_SUBSCRIBER_ID, withoutIdsOf } from './personal-data';
export {
  findSubscriber,
  findSubscriberOfUser,
  findSubscribers,
  findSubscribersByExternalId,
  findSubscribersByExternalIds,
  lockSubscriber,
  newestActiveSubscriber,
  updateSubscriber,
} from './queries/records';
export { type BotUserRef, markBlocked, subscribe } from './queries/subscriptions';
export { type SubscriberRecord, presentSubscriber } from './record';
