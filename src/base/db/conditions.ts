/** Joins the conditions that have a value and numbers their parameters: `{ 'e.id = ?': id }`. */
export function conditions(filters: Record<string, unknown>): { text: string; values: unknown[] } {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const texts = given.map(([text], index) => text.replace('?', `$${index + 1}`));
  return {
    text: texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : '',
    values: given.map(([, value]) => value),
  };
}
