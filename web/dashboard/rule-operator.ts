/** How a rule of a filter, a chain or a form compares. `missing`: the API's `exists` with false. */
export type Operator = 'eq' | 'ne' | 'gt' | 'lt' | 'contains' | 'exists' | 'missing';

interface GivenRule {
  op?: Exclude<Operator, 'missing'> | undefined;
  value?: unknown;
}

export function operatorOf({ op = 'eq', value }: GivenRule): Operator {
  return op === 'exists' && value === false ? 'missing' : op;
}

export const needsValue = (op: Operator) => op !== 'exists' && op !== 'missing';
