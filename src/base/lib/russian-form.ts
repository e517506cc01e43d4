const rules = new Intl.PluralRules('ru');

/** The form of a noun after a whole number: «1 ответ», «2 ответа», «5 ответов». */
export function russianForm(amount: number, forms: { one: string; few: string; many: string }): string {
  const form = rules.select(amount);
  return forms[form === 'one' || form === 'few' ? form : 'many'];
}
