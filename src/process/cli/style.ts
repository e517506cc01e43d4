/** Colours of the terminal, by the meaning of a word. */
const codes = { bold: '1', good: '32', bad: '31', warn: '33', muted: '2' } as const;
type Style = keyof typeof codes;

/** Only on a terminal, and not where NO_COLOR is set (no-color.org). */
export function hasColor(
  stream: { isTTY?: boolean | undefined } = process.stdout,
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function styled(text: string, style: Style | null, color: boolean): string {
  return color && style !== null ? `\x1b[${codes[style]}m${text}\x1b[0m` : text;
}

const words: Record<string, Style> = {
  succeeded: 'good',
  confirmed: 'good',
  consumed: 'good',
  active: 'good',
  failed: 'bad',
  declined: 'bad',
  disabled: 'bad',
  paused: 'warn',
  expired: 'warn',
  cancelled: 'muted',
};

/** The style of a state, wherever a table shows one. */
export function styleOf(word: string): Style | null {
  return words[word] ?? null;
}
