/** Whether an odd number of backslashes comes before the position. */
export function isEscaped(source: string, at: number): boolean {
  let from = at;
  while (from > 0 && source.charAt(from - 1) === '\\') from -= 1;
  return (at - from) % 2 === 1;
}
