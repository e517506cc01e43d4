import type { Language } from '../../base/contract/common';
import type { FailureReason } from '../../domains/events/contract';

const english: Record<FailureReason, string> = {
  user_blocked_bot: 'The user has blocked the bot. The subscriber becomes inactive; do not send again.',
  chat_not_found: 'The messenger does not know the chat, for example because the account was deleted.',
  bot_banned: 'The messenger refuses the bot itself. Tell the operator.',
  invalid_message: 'The messenger refused the content: its markup, a button or the media.',
  rate_limited: 'The messenger throttled the bot for longer than Herald waits. Send again later.',
  platform_unavailable: 'The messenger did not respond. Send again later.',
  unknown:
    'The cause is not known; `error` says more. The message may have arrived, for example if a process ended during the call: check before you send it again.',
};

const russian: Record<FailureReason, string> = {
  user_blocked_bot: 'Пользователь заблокировал бота. Подписчик становится неактивным; больше ему не пишите.',
  chat_not_found: 'Мессенджер не знает такого чата: например, аккаунт удалён.',
  bot_banned: 'Мессенджер не принимает запросы самого бота. Сообщите оператору.',
  invalid_message: 'Мессенджер не принял сообщение: разметку, кнопку или файл.',
  rate_limited: 'Мессенджер ограничил бота дольше, чем Herald готов ждать. Отправьте позже.',
  platform_unavailable: 'Мессенджер не ответил. Отправьте позже.',
  unknown:
    'Причина неизвестна; подробности — в `error`. Сообщение могло дойти, например если процесс завершился во время запроса: проверьте, прежде чем отправлять снова.',
};

/** What the values of `reason` in events mean. */
export const reasonTexts: Record<Language, Readonly<Record<string, string>>> = {
  en: english,
  ru: russian,
};
