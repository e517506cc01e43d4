/** What other domains may use of this one. */
export { requireSubscriber, uuidOf } from './changes';
export { findSubscriber, findSubscribersByExternalId, lockSubscriber } from './queries/records';
export { markBlocked, subscribe } from './queries/subscriptions';
export { type SubscriberRecord, presentSubscriber } from './record';
