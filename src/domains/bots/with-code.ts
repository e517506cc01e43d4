import { escapeHtml } from '../../base/contract/escape-html';
import type { OutgoingMessage } from './messenger';

/**
 * A text of the bot in which the line with the code is bold and monospaced, so that it is seen at once and a tap copies it.
 * The rest is shown as it is: names of projects and people cannot become markup.
 */
export function withCode(
  text: string,
  code: string | null | undefined,
): Pick<OutgoingMessage, 'text' | 'format'> {
  if (!code) return { text };
  const lines = escapeHtml(text).split('\n');
  const at = lines.indexOf(escapeHtml(code));
  if (at === -1) return { text };
  return { text: lines.with(at, `<b><code>${lines[at]}</code></b>`).join('\n'), format: 'html' };
}
