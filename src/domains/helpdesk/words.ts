/** More than a ticket's first lines have; the rest is not searched. */
const MAX_WORDS = 200;
const WORD_LENGTH = 40;
const SEARCHED_WORDS = 10;

function wordsIn(text: string): string[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word.slice(0, WORD_LENGTH));
}

/** Each word has its project before it, so that a search does not read the words of others. */
const marked = (projectId: string, word: string) => projectId.slice(0, 8) + word;

/** The words by which a ticket is found. */
export function searchedWords(projectId: string, texts: (string | null | undefined)[]): string[] {
  const words = new Set(texts.flatMap((text) => wordsIn(text ?? '')));
  return [...words].slice(0, MAX_WORDS).map((word) => marked(projectId, word));
}

/** A tsquery for tickets with words that begin like these; null if the text has none. */
export function wordsQuery(projectId: string, text: string): string | null {
  const words = wordsIn(text).slice(0, SEARCHED_WORDS);
  // Letters and digits need no escapes.
  return words.length === 0 ? null : words.map((word) => `'${marked(projectId, word)}':*`).join(' & ');
}
