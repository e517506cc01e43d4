/** Marks text as HTML; everything else on a page is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** html`<p>${text}</p>`: escapes values unless they are Html; joins arrays. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(strings.map((part, index) => part + present(values[index], index, values.length)).join(''));
}

function present(value: unknown, index: number, count: number): string {
  if (index >= count || value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map((item) => present(item, 0, 1)).join('');
  return escapeHtml(String(value));
}
