/** The public interface of this domain. */
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { checkMedia } from './media-facts';
export { type PreparedMessage, prepareMessage } from './prepare';
