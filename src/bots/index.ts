/** The public interface of the bots. */
export type { Chat, ChatHandlers, Tap } from './conversation';
export { pinnedTo } from './fetch-media';
export type { Button, OutgoingMessage } from './messenger';
export { PlatformError, isRetryableReason, unsubscribes } from './platform-error';
export {
  type Pace,
  allowanceOf,
  allowedMessages,
  channelPaces,
  consumeChannelPace,
  lockChannelPace,
  nextTimeAfter,
  pauseChannel,
} from './queries/pace';
export { pruneBotUpdates } from './queries/updates';
export { type BotTexts, botTexts } from './texts';
export type { BotUser } from './update';
export { withWelcome } from './welcome';
