import type { BotTexts, OutgoingMessage } from '../bots';

/** Yes and No carry a nonce: unguessable, and bound to user, chat, message and session in the database. */
export const NONCE_LENGTH = 32;

export function answerButtons(texts: BotTexts, nonce: string): NonNullable<OutgoingMessage['buttons']> {
  return [
    [
      { text: texts.yes, data: `y:${nonce}` },
      { text: texts.no, data: `n:${nonce}` },
    ],
  ];
}

/** Reads the data of a button of a login question; null for any other button. */
export function parseAnswer(data: string): { answer: 'yes' | 'no'; nonce: string } | null {
  const match = /^([yn]):([0-9A-Za-z]{32})$/.exec(data);
  if (!match) return null;
  return { answer: match[1] === 'y' ? 'yes' : 'no', nonce: match[2] ?? '' };
}
