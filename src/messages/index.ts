/** The public interface of this domain. */
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { checkEachMedia, mediaField } from './media-facts';
export { type PreparedMessage, prepareMessage } from './prepare';
export { attemptedRecipients, requeueMessages } from './queries/messages';
export { sendTo } from './send';
export { contentFor, isStoredTemplate, type StoredContent, storeContent, viewStored } from './stored-content';
