/** Between words, as in `event_words`. */
const SEPARATORS = /[-_@./:+%&=?#"{}[\],\\\s]+/;
/** Shorter beginnings of words would match too many. */
const SHORTEST_PREFIX = 3;

export interface SearchText {
  /** Words that must occur; all are whole but the last, which may be the beginning of one. */
  words: string[];
  isPrefix: boolean;
  /** The text as it may stand in a body: as given, and as JSON writes it. */
  given: string;
  escaped: string;
}

/** What to look for; null where the text has no word that the index could find. */
export function parseSearchText(text: string): SearchText | null {
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  const spellings = { given: text, escaped: JSON.stringify(text).slice(1, -1) };
  const last = words.at(-1);
  if (last === undefined) return null;
  if (last.length >= SHORTEST_PREFIX) return { words, isPrefix: true, ...spellings };
  // A short last word may be the beginning of a longer one: only the comparison with the body can tell.
  return words.length > 1 ? { words: words.slice(0, -1), isPrefix: false, ...spellings } : null;
}
