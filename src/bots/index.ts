/** The public interface of the bots. */
export type { Chat, ChatHandlers, Tap } from './conversation';
export { callsOf, convertText } from './convert-text';
export type { Button, OutgoingMessage, SendProgress } from './messenger';
export { mediaBytes } from './media/source';
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
export { trackProgress } from './send-progress';
export { type BotTexts, botTexts } from './texts';
export type { BotUser } from './update';
export { withWelcome } from './welcome';
