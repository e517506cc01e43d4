import { html, Html } from '../../base/http/html';

interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

/* oxlint-disable typescript/no-require-imports -- the package's types would bring those of browsers into the server */
const hljs = require('highlight.js/lib/core') as Highlighter;
for (const name of ['bash', 'go', 'javascript', 'json', 'php', 'python', 'typescript', 'xml']) {
  hljs.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
}
/* oxlint-enable typescript/no-require-imports */

const aliases: Record<string, string> = { sh: 'bash', js: 'javascript', ts: 'typescript', html: 'xml' };

/** Code as HTML with the highlighter's classes; plain where the language is unknown. */
export function highlight(code: string, language: string): Html {
  const name = aliases[language] ?? language;
  if (!hljs.getLanguage(name)) return html`${code}`;
  return new Html(hljs.highlight(code, { language: name, ignoreIllegals: true }).value);
}
