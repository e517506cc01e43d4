import type { FailureReason } from '../../events/contract';

const failures: Record<FailureReason, string> = {
  user_blocked_bot: 'The user has blocked the bot. The subscriber becomes inactive; do not send again.',
  chat_not_found: 'The messenger does not know the chat, for example because the account was deleted.',
  bot_banned: 'The messenger refuses the bot itself. Tell the operator.',
  invalid_message: 'The messenger refused the content: its markup, a button or the media.',
  rate_limited: 'The messenger throttled the bot for longer than Herald waits. Send again later.',
  platform_unavailable: 'The messenger did not respond. Send again later.',
  unknown:
    'The cause is not known; `error` says more. The message may have arrived, for example if a process ended during the call: check before you send it again.',
};

/** What the values of `reason` in events mean. */
export const reasonTexts: Readonly<Record<string, string>> = failures;
