import type { Language } from '../contract/common';
import type { Incoming, ParsedUpdate } from './update';

const COMMAND = /^\/(start|stop)(?:@\w+)?(?:\s+([\s\S]*))?$/i;

/** What a typed message asks for. `/start <token>` is also how a user gets in when a deep link lost its payload. */
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

/** `ru`, `ru-RU`, `ru_RU` → ru; everything else, and nothing at all, → en. */
export function languageOf(locale: string | null | undefined): Language {
  return /^ru(?:[-_]|$)/i.test(locale ?? '') ? 'ru' : 'en';
}

/** PostgreSQL has no place for NUL in a text, and no name needs one. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

/** See ReceivedUpdate. */
export function laneOf({ private: isPrivate, user, chatId }: ParsedUpdate): string {
  return isPrivate && user ? `user:${user.id}` : chatId;
}
