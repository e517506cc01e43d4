/** What other domains may use of this one. */
export { outgoing } from './buttons';
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { refuseLargeMedia } from './media-size';
