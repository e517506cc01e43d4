import type { Language } from '../contract/common';
import type { Incoming, ParsedUpdate } from './update';

const COMMAND = /^\/(start|stop)(?:@\w+)?(?:\s+([\s\S]*))?$/i;

/** Parses a typed message. Users type `/start <token>` when a deep link has lost its payload. */
export function incomingText(text: string): Incoming {
  const [, command, argument = ''] = COMMAND.exec(text.trim()) ?? [];
  switch (command?.toLowerCase()) {
    case 'start':
      return { kind: 'open', start: argument.trim() || null };
    case 'stop':
      return { kind: 'stop' };
    default:
      return { kind: 'text', text };
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
