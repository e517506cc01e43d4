/** The public interface of this domain. */
export { publicIdOf, requireSubscriber, uuidOf } from './changes';
export { type LabelUse } from './labels';
export { linkTokenPurpose } from './links';
export { NOBODY } from './queries/erasure';
export {
  findSubscriber,
  findSubscribers,
  findSubscribersByExternalId,
  findSubscribersByExternalIds,
  lockSubscriber,
} from './queries/records';
export { markBlocked, subscribe } from './queries/subscriptions';
export { type SubscriberRecord, presentSubscriber, viewSubscriber } from './record';
