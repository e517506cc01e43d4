/** Chooses the word for a number: in English one and other; in Russian one (1, 21), few (2–4) and many (5–20). */
export function plural(
  locale: string,
  count: number,
  forms: { one: string; few?: string; many?: string; other: string },
): string {
  const rule = new Intl.PluralRules(locale).select(count);
  const form = rule === 'one' || rule === 'few' || rule === 'many' ? forms[rule] : forms.other;
  return `${new Intl.NumberFormat(locale).format(count)} ${form ?? forms.other}`;
}
