import type { AnswerRule, FormRoute } from '../../../src/domains/forms/contract';
import { routesOfGood, routesTaken, rulesHold } from '../../../src/domains/forms/rules';

const answers = { size: 'Medium', count: 3, extras: ['gift', 'card'], terms: true };
const rule = (field: string, op: AnswerRule['op'], value?: AnswerRule['value']): AnswerRule => ({
  field,
  op,
  value,
});

it.each<[AnswerRule, boolean]>([
  [rule('size', 'eq', 'Medium'), true],
  [rule('size', 'ne', 'Large'), true],
  [rule('size', 'contains', 'diu'), true],
  [rule('count', 'eq', 3), true],
  [rule('count', 'gt', 2), true],
  [rule('count', 'lt', 3), false],
  [rule('extras', 'contains', 'gift'), true],
  [rule('extras', 'contains', 'gif'), false],
  [rule('terms', 'eq', true), true],
  [rule('size', 'exists'), true],
  [rule('absent', 'exists', false), true],
  [rule('constructor', 'exists'), false],
  // A value of another type compares false, whatever the comparison.
  [rule('count', 'eq', '3'), false],
  [rule('count', 'ne', '4'), false],
  [rule('extras', 'ne', 'x'), false],
  [rule('absent', 'ne', 'x'), false],
  [rule('count', 'contains', '3'), false],
])('%j is %s', (given, holds) => expect(rulesHold({ rules: [given] }, answers)).toBe(holds));

it('`all` needs every rule, `any` one of them', () => {
  const rules = [rule('count', 'gt', 2), rule('size', 'eq', 'Large')];
  expect(rulesHold({ rules }, answers)).toBe(false);
  expect(rulesHold({ match: 'any', rules }, answers)).toBe(true);
});

it('routes are taken in order up to `spam`; out of the spam folder, all but `spam`', () => {
  const tag = (name: string, holds = true): FormRoute => ({
    action: 'tag',
    tag: name,
    when: { rules: [rule('count', 'eq', holds ? 3 : 4)] },
  });
  const routes: FormRoute[] = [tag('a'), tag('never', false), { action: 'spam' }, tag('b')];
  expect(routesTaken(routes, answers).map(({ index }) => index)).toEqual([0, 2]);
  expect(routesOfGood(routes, answers).map(({ index }) => index)).toEqual([0, 3]);
});
