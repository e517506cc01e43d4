import { html, type Html } from '../../base/http/html';

/** Renders backticks in descriptions as code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
