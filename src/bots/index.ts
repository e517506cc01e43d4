/** The public interface of the bots. */
export { botKeyOf } from './bot-key';
export type { Chat, ChatHandlers, Tap } from './conversation';
export { callsOf, convertText } from './convert-text';
export { languageOf } from './incoming';
export { initDataKeyOf } from './init-data-key';
export { mediaBytes } from './media/source';
export type { Button, Messenger, OutgoingMessage, SendProgress } from './messenger';
export { PlatformError, isRetryableReason, unsubscribes } from './platform-error';
export {
  type Pace,
  allowanceOf,
  allowedCalls,
  chatKeyOf,
  nextTimeAfter,
  recordThrottled,
} from './queries/pace';
export { claimTurns } from './queries/turns';
export { pruneBotUpdates } from './queries/updates';
export { trackProgress } from './send-progress';
export { type BotTexts, botTexts } from './texts';
export type { BotUser } from './update';
export { withWelcome } from './welcome';
