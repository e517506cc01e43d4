/** The public interface of this domain. */
export { outgoing } from './buttons';
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { refuseLargeMedia } from './media-size';
