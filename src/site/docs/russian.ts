import { createHash } from 'node:crypto';
import { withLimits } from './limit-texts';
import errors from './ru/errors.json';
import events from './ru/events.json';
import fields from './ru/fields.json';
import notes from './ru/notes.json';
import resources from './ru/resources.json';
import summaries from './ru/summaries.json';

/**
 * Messages in Russian, by `<id>#<hash>`. The id names the first place of the English sentence; the hash is that of the sentence,
 * so that a test finds the messages whose sentence has changed.
 */
export type Catalogue = Readonly<Record<string, string>>;

export const catalogues = { errors, events, fields, notes, resources, summaries };

export function hashOf(sentence: string): string {
  return createHash('sha256').update(sentence).digest('hex').slice(0, 8);
}

function translator(catalogue: Catalogue): (sentence: string) => string {
  const messages = new Map(Object.entries(catalogue).map(([key, message]) => [key.split('#')[1], message]));
  return (sentence) => {
    const message = messages.get(hashOf(sentence));
    return message === undefined ? sentence : withLimits(message, 'ru');
  };
}

/** Sentences of the API's description in Russian; a sentence without a translation stays as it is. */
export const russian = {
  error: translator(errors),
  event: translator(events),
  field: translator(fields),
  note: translator(notes),
  resource: translator(resources),
  summary: translator(summaries),
};
