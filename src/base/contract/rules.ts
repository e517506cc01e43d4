/** How a rule compares, in a filter of an endpoint, a drip chain and a form. */
export const ruleOperators = ['eq', 'ne', 'gt', 'lt', 'contains', 'exists'] as const;
export type RuleOperator = (typeof ruleOperators)[number];
type RuleValue = string | number | boolean;

/** What is wrong with the value of a rule; null if nothing. */
export function ruleValueProblem({
  op,
  value,
}: {
  op?: RuleOperator | undefined;
  value?: unknown;
}): string | null {
  if (op === 'exists') {
    return value === undefined || typeof value === 'boolean' ? null : 'must be true or false';
  }
  if (value === undefined) return 'is required';
  const isOrder = op === 'gt' || op === 'lt';
  return isOrder && typeof value === 'boolean' ? 'must be a number or a text' : null;
}

/**
 * Whether a comparison holds. A value of another type compares false, and so does an absent one, `ne` included. The database's
 * `filter_matches` does the same.
 */
export function compares(
  actual: RuleValue | readonly RuleValue[] | undefined,
  op: RuleOperator,
  value: RuleValue | undefined,
): boolean {
  if (op === 'exists') return (actual !== undefined) === (value ?? true);
  if (actual === undefined || value === undefined) return false;
  if (typeof actual === 'object') return op === 'contains' && actual.includes(value);
  if (typeof actual !== typeof value) return false;
  switch (op) {
    case 'eq':
      return actual === value;
    case 'ne':
      return actual !== value;
    case 'gt':
      return isGreater(actual, value);
    case 'lt':
      return isGreater(value, actual);
    case 'contains':
      return typeof actual === 'string' && actual.includes(String(value));
  }
}

function isGreater(one: RuleValue, other: RuleValue): boolean {
  if (typeof one === 'number') return one > (other as number);
  return typeof one === 'string' && isAfter(one, String(other));
}

/** By code point, as PostgreSQL compares with COLLATE "C": `>` compares code units, which put emoji before some letters. */
function isAfter(one: string, other: string): boolean {
  const points = [...other];
  for (const [index, point] of [...one].entries()) {
    const beside = points[index];
    if (beside === undefined) return true;
    if (point !== beside) return (point.codePointAt(0) ?? 0) > (beside.codePointAt(0) ?? 0);
  }
  return false;
}
