/** Text that HTML shows as it is, also within double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The same, also within single quotes; not every messenger reads the entity. */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll("'", '&#39;');
}
