import fc from 'fast-check';
import { AppError } from '../../../src/base/contract/errors';
import { ruleOperators } from '../../../src/base/contract/rules';
import {
  propertyRulesSchema,
  subscriberRulesSchema,
  type Rule,
} from '../../../src/domains/drip/rules/contract';
import {
  eventKey,
  eventQuestions,
  propertyRulesHold,
  rulesHold,
  type Facts,
} from '../../../src/domains/drip/rules/evaluate';
import { validated } from '../../../src/base/http/validate';

const facts: Facts = {
  tags: ['vip'],
  permissions: ['news'],
  properties: { plan: 'pro', orders: 3, trial: false, city: 'Saint Petersburg' },
  happened: new Set([
    eventKey({ name: 'purchase', sinceMinutes: null }),
    eventKey({ name: 'visit', sinceMinutes: 60 }),
  ]),
};
const holds = (...rules: Rule[]) => rulesHold({ rules }, facts);

function refusal(schema: typeof subscriberRulesSchema | typeof propertyRulesSchema, rule: unknown): string {
  try {
    validated(schema, { rules: [rule] });
  } catch (error) {
    if (error instanceof AppError) return error.message;
  }
  return 'accepted';
}

describe('rules on a subscriber', () => {
  it('ask for a tag or a permission, or for its absence', () => {
    expect(holds({ tag: 'vip' })).toBe(true);
    expect(holds({ tag: 'vip', has: false })).toBe(false);
    expect(holds({ tag: 'news' })).toBe(false);
    expect(holds({ permission: 'news' })).toBe(true);
    expect(holds({ permission: 'vip', has: false })).toBe(true);
  });

  it.each<[Rule, boolean]>([
    [{ property: 'plan', op: 'eq', value: 'pro' }, true],
    [{ property: 'plan', op: 'ne', value: 'free' }, true],
    [{ property: 'plan', op: 'ne', value: 'pro' }, false],
    [{ property: 'orders', op: 'gt', value: 2 }, true],
    [{ property: 'orders', op: 'gt', value: 3 }, false],
    [{ property: 'orders', op: 'lt', value: 3.5 }, true],
    [{ property: 'city', op: 'contains', value: 'Peter' }, true],
    [{ property: 'city', op: 'contains', value: 'peter' }, false],
    [{ property: 'city', op: 'gt', value: 'Moscow' }, true],
    [{ property: 'trial', op: 'eq', value: false }, true],
    [{ property: 'trial', op: 'exists' }, true],
    [{ property: 'trial', op: 'exists', value: false }, false],
    [{ property: 'age', op: 'exists' }, false],
    [{ property: 'age', op: 'exists', value: false }, true],
    [{ property: 'constructor', op: 'exists' }, false],
  ])('compare a property: %j is %s', (rule, expected) => {
    expect(holds(rule)).toBe(expected);
  });

  it('ask for an event by its name and how far they look back', () => {
    expect(holds({ event: 'purchase' })).toBe(true);
    expect(holds({ event: 'purchase', happened: false })).toBe(false);
    expect(holds({ event: 'purchase', since_minutes: 60 })).toBe(false);
    expect(holds({ event: 'visit', since_minutes: 60 })).toBe(true);
    expect(holds({ event: 'visit', happened: false })).toBe(true);
    const rules = [{ event: 'a' }, { event: 'a' }, { event: 'a', since_minutes: 5 }, { tag: 'b' }];
    expect(eventQuestions([{ rules }, { rules }])).toEqual([
      { name: 'a', sinceMinutes: null },
      { name: 'a', sinceMinutes: 5 },
    ]);
  });

  it('hold all together unless any is enough', () => {
    expect(holds({ tag: 'vip' }, { tag: 'other' })).toBe(false);
    expect(rulesHold({ match: 'any', rules: [{ tag: 'other' }, { tag: 'vip' }] }, facts)).toBe(true);
    expect(rulesHold({ match: 'any', rules: [{ tag: 'other' }, { tag: 'third' }] }, facts)).toBe(false);
  });
});

const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean());
const property = fc.constantFrom('a', 'b', 'c');
const properties = fc.dictionary(property, value);
const comparison = fc.record({ property, op: fc.constantFrom(...ruleOperators), value });

describe('any rules', () => {
  it('of another type than the property compare false', () => {
    fc.assert(
      fc.property(properties, comparison, (given, rule) => {
        const actual = given[rule.property];
        fc.pre(rule.op !== 'exists' && typeof actual !== typeof rule.value);
        expect(propertyRulesHold({ rules: [rule] }, given)).toBe(false);
      }),
    );
  });

  it('are eq or ne, and at most one of eq, gt and lt, where the types are the same', () => {
    fc.assert(
      fc.property(value, value, (actual, other) => {
        fc.pre(typeof actual === typeof other);
        const is = (op: Rule['op']) =>
          propertyRulesHold({ rules: [{ property: 'a', op, value: other }] }, { a: actual });
        expect(is('eq')).toBe(!is('ne'));
        expect([is('eq'), is('gt'), is('lt')].filter(Boolean).length).toBeLessThanOrEqual(1);
        if (typeof actual !== 'boolean') expect(is('eq') || is('gt') || is('lt')).toBe(true);
      }),
    );
  });

  it('hold for all exactly when none fails, and for any exactly when one holds', () => {
    fc.assert(
      fc.property(properties, fc.array(comparison, { minLength: 1, maxLength: 10 }), (given, rules) => {
        const each = rules.map((rule) => propertyRulesHold({ rules: [rule] }, given));
        expect(propertyRulesHold({ rules }, given)).toBe(!each.includes(false));
        expect(propertyRulesHold({ match: 'any', rules }, given)).toBe(each.includes(true));
      }),
    );
  });
});

describe('rules of a request', () => {
  it.each<[string, unknown, string]>([
    ['nothing', {}, 'rules[0].tag: is required, or permission, or property, or event'],
    ['two subjects', { tag: 'a', event: 'b' }, 'rules[0].event: cannot be combined with tag'],
    ['a field of another kind', { tag: 'a', op: 'eq' }, 'rules[0].op: cannot be combined with tag'],
    ['a property without op', { property: 'a', value: 1 }, 'rules[0].op: is required'],
    [
      'an order of true and false',
      { property: 'a', op: 'gt', value: true },
      'rules[0].value: must be a number or a text',
    ],
    ['a comparison without value', { property: 'a', op: 'eq' }, 'rules[0].value: is required'],
    [
      'exists with a text',
      { property: 'a', op: 'exists', value: 'x' },
      'rules[0].value: must be true or false',
    ],
    [
      'an unknown op',
      { property: 'a', op: 'like', value: 1 },
      'rules[0].op: must be one of eq, ne, gt, lt, contains, exists',
    ],
    ['an unknown field', { tag: 'a', tags: [] }, 'rules[0].tags: is not a known field'],
    ['a minute of zero', { event: 'a', since_minutes: 0 }, 'rules[0].since_minutes: must be at least 1'],
    [
      'a name with spaces',
      { event: 'A b' },
      'rules[0].event: must be 1 to 64 characters of a-z, 0-9, _, . and -',
    ],
  ])('with %s are refused by the name of the field', (_, rule, expected) => {
    expect(refusal(subscriberRulesSchema, rule)).toBe(expected);
  });

  it('number 1 to 10', () => {
    const rules = Array.from({ length: 11 }, () => ({ tag: 'a' }));
    expect(() => validated(subscriberRulesSchema, { rules })).toThrow('rules: can have up to 10 items');
    expect(() => validated(subscriberRulesSchema, { rules: [] })).toThrow('rules: must not be empty');
    expect(validated(subscriberRulesSchema, { rules: rules.slice(1) }).rules).toHaveLength(10);
  });

  it('on the properties of an event know nothing else', () => {
    expect(refusal(propertyRulesSchema, { property: 'amount', op: 'gt', value: 10 })).toBe('accepted');
    expect(refusal(propertyRulesSchema, { tag: 'a' })).toContain('rules[0].tag: is not a known field');
    expect(refusal(propertyRulesSchema, {})).toBe('rules[0].property: is required');
  });
});
