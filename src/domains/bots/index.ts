/** The public interface of the bots. */
export { ownBotKey, sharedBotKey, storedBotKey } from './bot-key';
export { connectBot } from './connect';
export { type Chat, type ChatHandlers, type ChatMessage, type Tap, serves } from './conversation';
export { languageOf } from './incoming';
export { linkFields } from './link-fields';
export { markdownToHtml } from './markdown';
export { FileGoneError } from './media/download';
export { mediaBytes } from './media/source';
export type { BotIdentity, Button, Messenger, OutgoingMessage, SendProgress } from './messenger';
export { type OwnBot, botTokenPurpose } from './own-bots';
export { PlatformError, isRetryableReason, unsubscribes } from './platform-error';
export {
  JOIN_OWN_BOT,
  REACHING_BOT,
  findProjectBot,
  listProjectBots,
  removeProjectBot,
  saveProjectBot,
} from './queries/own-bots';
export {
  type Pace,
  allowanceOf,
  allowedCalls,
  chatKeyOf,
  nextTimeAfter,
  recordThrottled,
} from './queries/pace';
export { claimTurns } from './queries/turns';
export type { Platform } from './platform';
export { platformOf, platforms } from './registry';
export { storableText } from './storable';
export { trackProgress } from './send-progress';
export { type BotTexts, botTexts } from './texts';
export type { BotUser, IncomingMessage } from './update';
export { type FindProjectText, type ProjectTextName } from './project-text';
export { greeting, loginConfirmed } from './welcome';
export { withCode } from './with-code';
