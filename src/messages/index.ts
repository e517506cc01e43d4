/** The public interface of this domain. */
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { checkEachMedia, mediaField } from './media-facts';
export { type PreparedMessage, prepareMessage } from './prepare';
export { attemptedRecipients, requeueMessages } from './queries/messages';
export { sendTo } from './send';
export { notSent, type SendResult, sendResultOf, skipReasonOf } from './send-result';
export type { MessageSource, StoredMessage } from './source';
export { contentFor, isStoredTemplate, type StoredContent, storeContent, viewStored } from './stored-content';
