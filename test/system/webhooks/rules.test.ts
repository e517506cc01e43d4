import type { RuleOperator } from '../../../src/base/contract/rules';
import { propertyRulesSchema } from '../../../src/domains/drip/rules/contract';
import { propertyRulesHold } from '../../../src/domains/drip/rules/evaluate';
import { newFormSchema } from '../../../src/domains/forms/contract';
import { rulesHold } from '../../../src/domains/forms/rules';
import { newEndpointSchema } from '../../../src/domains/webhooks/contract';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

type Value = string | number | boolean;

/** What is there (undefined: nothing), the comparison, and whether it holds. */
const cases: [Value | string[] | undefined, RuleOperator, Value | undefined, boolean][] = [
  ['pro', 'eq', 'pro', true],
  ['pro', 'eq', 'Pro', false],
  [3, 'eq', 3, true],
  [3, 'eq', '3', false],
  [true, 'eq', true, true],
  [true, 'eq', 'true', false],
  [undefined, 'eq', 'pro', false],
  [['a'], 'eq', 'a', false],
  ['pro', 'ne', 'free', true],
  ['pro', 'ne', 'pro', false],
  [true, 'ne', false, true],
  [3, 'ne', '4', false],
  ['3', 'ne', 4, false],
  [['a'], 'ne', 'x', false],
  [undefined, 'ne', 'x', false],
  [5, 'gt', 4, true],
  [5, 'gt', 5, false],
  [-0.5, 'lt', 0, true],
  ['5', 'gt', 4, false],
  [['a'], 'gt', 'A', false],
  [undefined, 'lt', 4, false],
  // By code point, whatever the language of the database.
  ['a', 'gt', 'B', true],
  ['B', 'lt', 'a', true],
  ['é', 'gt', 'z', true],
  ['ab', 'gt', 'a', true],
  ['a', 'gt', 'ab', false],
  ['2026-01-31', 'lt', '2026-02-01', true],
  ['😀', 'gt', '\uffe6', true],
  ['Saint Petersburg', 'contains', 'Peter', true],
  ['Saint Petersburg', 'contains', 'peter', false],
  ['order 5', 'contains', 5, false],
  [15, 'contains', '5', false],
  [15, 'contains', 5, false],
  [undefined, 'contains', 'a', false],
  [['gift', 'card'], 'contains', 'gift', true],
  [['gift', 'card'], 'contains', 'gif', false],
  [['5'], 'contains', 5, false],
  ['pro', 'exists', undefined, true],
  ['pro', 'exists', true, true],
  ['pro', 'exists', false, false],
  [false, 'exists', undefined, true],
  [undefined, 'exists', undefined, false],
  [undefined, 'exists', true, false],
  [undefined, 'exists', false, true],
];

test.each(cases)('%j %s %j is %s in a filter, a chain and a form', async (actual, op, value, holds) => {
  const data = actual === undefined ? {} : { given: actual };
  const rule = { op, ...(value === undefined ? {} : { value }) };
  const { rows } = await service.pool.query<{ holds: boolean }>('SELECT filter_matches($1, $2) AS holds', [
    { rules: [{ field: 'given', ...rule }] },
    data,
  ]);
  const found = {
    filter: rows[0]?.holds,
    form: rulesHold({ rules: [{ field: 'given', ...rule }] }, data),
    // Properties are no lists.
    chain: Array.isArray(actual)
      ? holds
      : propertyRulesHold({ rules: [{ property: 'given', ...rule }] }, data as Record<string, Value>),
  };
  expect(found).toEqual({ filter: holds, form: holds, chain: holds });
});

test('an order of booleans is refused in a filter, a chain and a form', () => {
  const rule = { op: 'gt', value: true };
  const when = { rules: [{ field: 'a', ...rule }] };
  const refusals = [
    newEndpointSchema.safeParse({ url: 'https://shop.example', filter: when }),
    propertyRulesSchema.safeParse({ rules: [{ property: 'a', ...rule }] }),
    newFormSchema.safeParse({
      name: 'Contact',
      fields: [{ key: 'a', type: 'checkbox', label_en: 'A' }],
      routes: [{ action: 'spam', when }],
    }),
  ];
  for (const { error } of refusals) {
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be a number or a text']);
  }
});
