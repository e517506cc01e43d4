/** The public interface of the bots. */
export { botKeyOf } from './bot-key';
export { callsOf } from './calls-of';
export type { Chat, ChatHandlers, Tap } from './conversation';
export { pinnedTo } from './fetch-media';
export type { Button, Messenger, OutgoingMessage } from './messenger';
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
export { type BotTexts, botTexts } from './texts';
export type { BotUser } from './update';
export { withWelcome } from './welcome';
