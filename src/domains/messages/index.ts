/** The public interface of this domain. */
export { deliveryFailed, deliverySuccess } from './delivery-events';
export { contentForOne } from './one-content';
export { type PreparedMessage, prepareMessage } from './prepare';
export type { DeliverDeps } from './deliver';
export { attemptedRecipients, insertMessages, requeueMessages, skipLateMessages } from './queries/messages';
export { sendQueued, sendTo } from './send';
export { BLOCKED, notSent, type SendResult, sendResultOf, skipReasonOf } from './send-result';
export {
  type BatchContent,
  type BatchTemplates,
  buttonTextsOf,
  isStoredTemplate,
  ownContentFor,
  type StoredContent,
  storeContent,
  storeContents,
  viewStored,
} from './stored-content';
export { type MessageStore, type StoredMessage, pageValues } from './store';
