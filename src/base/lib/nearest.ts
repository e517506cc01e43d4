/** The word of a list that a mistyped one most likely means; undefined if none is close. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(typed.length / 4));
  const close = words
    .map((word) => ({ word, changes: distance(typed.toLowerCase(), word) }))
    .filter(({ changes }) => changes <= most)
    .sort((a, b) => a.changes - b.changes);
  return close[0]?.word;
}

/** The number of letters to insert, remove or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (letter === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
