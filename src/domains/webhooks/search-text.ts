/** Between words, as in `event_words`: a word has letters and digits only. */
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;
/** Shorter beginnings of words would match too many. */
const SHORTEST_PREFIX = 3;

export interface SearchText {
  /** Words that must occur; all are whole but the last, which may be the beginning of one. None if the index cannot help. */
  words: string[];
  isPrefix: boolean;
  /** The text as it may stand in a body: as given, and as JSON writes it. */
  given: string;
  escaped: string;
}

export function parseSearchText(text: string): SearchText {
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  const spellings = { given: text, escaped: JSON.stringify(text).slice(1, -1) };
  const last = words.at(-1);
  if (last !== undefined && last.length >= SHORTEST_PREFIX) return { words, isPrefix: true, ...spellings };
  // A short last word may be the beginning of a longer one: only the comparison with the body can tell.
  return { words: words.slice(0, -1), isPrefix: false, ...spellings };
}
