import type { Language } from '../../base/contract/common';
import type { Incoming, IncomingMessage, ParsedUpdate } from './update';

const COMMAND = /^\/(start|stop|cancel|tickets)(?:@\w+)?(?:\s+([\s\S]*))?$/i;

/**
 * Tells a typed command from any other message. Users type `/start <token>` when a deep link has lost its payload. A
 * caption is no command, nor a message that was changed afterwards.
 */
export function incomingMessage(message: IncomingMessage): Incoming {
  const isTyped = !message.edited && message.files.length === 0;
  const [, command, argument = ''] = (isTyped && COMMAND.exec(message.text.trim())) || [];
  switch (command?.toLowerCase()) {
    case 'start':
      return { kind: 'open', start: argument.trim() || null };
    case 'stop':
      return { kind: 'stop' };
    case 'cancel':
      return { kind: 'command', command: 'cancel' };
    case 'tickets':
      return { kind: 'command', command: 'tickets' };
    default:
      return { kind: 'message', ...message };
  }
}

/** `ru`, `ru-RU` and `ru_RU` give ru; any other locale, or none, gives en. */
export function languageOf(locale: string | null | undefined): Language {
  return /^ru(?:[-_]|$)/i.test(locale ?? '') ? 'ru' : 'en';
}

/** See `ReceivedUpdate.chatQueue`. */
export function chatQueueOf({ private: isPrivate, user, chatId }: ParsedUpdate): string {
  return isPrivate && user ? `user:${user.id}` : chatId;
}
