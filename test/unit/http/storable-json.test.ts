import fc from 'fast-check';
import { limits, MIB } from '../../../src/base/contract/limits';
import { refuseUnstorable } from '../../../src/base/http/storable-json';

test.each([
  ['{"events": [{"properties": {"a": 1, "__proto__": 2}}]}', 'events[0].properties.__proto__'],
  ['{"a": {"\\u005f_proto__": 1}}', 'a.__proto__'],
])('a name that objects of JavaScript would lose is refused, not dropped: %s', (json, path) => {
  expect(() => refuseUnstorable(json)).toThrow(`${path}: cannot be used as a name`);
});

test.each([
  ['"\\u0000"', 'body'],
  ['{"a": [1, {"b": "x"}, "\\ud800"]}', 'a[2]'],
  ['[["\\"", "\\\\", "\\udc00\\ud800"]]', '[0][2]'],
  ['{"a": "\\ud83dx"}', 'a'],
  ['{"a": {"\\u0000": 1}}', 'a'],
  ['{"a": {"b": 1, "c\\"d": "\\ud83d"}}', 'a.c"d'],
])('text that cannot be stored is refused with its place: %s', (json, path) => {
  expect(() => refuseUnstorable(json)).toThrow(`${path}: contains a character that is not allowed`);
});

test('pairs, escaped backslashes, and names as values are stored', () => {
  expect(() => refuseUnstorable('{"a": ["\\ud83d\\ude00", "😀", "\\\\u0000", "__proto__"]}')).not.toThrow();
});

test('the check refuses exactly the values that cannot be stored', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', 'u0000', '\0', '\ud83d', '\ude00', '😀') });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie('any')),
      fc.dictionary(fc.string(), tie('any')),
    ),
  })).any;
  fc.assert(
    fc.property(value, (given) => {
      const json = JSON.stringify(given);
      const isStorable = isStorableText(json);
      expect(accepts(json)).toBe(isStorable);
    }),
  );
});

/** By the values of the parsed text, as PostgreSQL would see them. */
function isStorableText(json: string): boolean {
  let storable = true;
  const check = (text: string) => {
    if (text === '__proto__') return;
    if (text.includes('\0') || /\p{Surrogate}/u.test(text)) storable = false;
  };
  JSON.parse(json, (key, item: unknown) => {
    check(key);
    if (key === '__proto__') storable = false;
    if (typeof item === 'string') check(item);
    return item;
  });
  return storable;
}

function accepts(json: string): boolean {
  try {
    refuseUnstorable(json);
    return true;
  } catch {
    return false;
  }
}

test('depth, fields and values are bounded', () => {
  const { depth, fields, values } = limits.json;
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(() => refuseUnstorable(nested(depth))).not.toThrow();
  expect(() => refuseUnstorable(nested(depth + 1))).toThrow(`body: can be nested up to ${depth} deep`);
  const wide = (count: number) =>
    JSON.stringify({ a: Object.fromEntries(Array(count).entries()) }, (_k, v) => v ?? 1);
  expect(() => refuseUnstorable(wide(fields))).not.toThrow();
  expect(() => refuseUnstorable(wide(fields + 1))).toThrow(`a: can have up to ${fields} fields`);
  expect(() => refuseUnstorable(`[${'1,'.repeat(values)}1]`)).toThrow(
    `body: can have up to ${values} values`,
  );
});

/** The best of three, so that a pause of the machine does not count. */
function secondsFor(json: string): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const start = performance.now();
      accepts(json);
      return performance.now() - start;
    }),
  );
}

test.each([
  ['lists in lists', '['.repeat(MIB)],
  ['many numbers', '1,'.repeat(MIB / 2)],
  ['many objects', `[${'{},'.repeat(MIB / 3)}`],
  ['escapes', `"${'\\u0041'.repeat(MIB / 6)}"`],
  ['escaped names', `[${'{"\\u005f\\u005fproto__x":1},'.repeat(MIB / 28)}1]`],
  ['quotes', '"'.repeat(MIB)],
])(
  '%s take about as long to check as a plain text of that size, by two orders of magnitude',
  (_name, json) => {
    const plain = JSON.stringify(Array.from({ length: MIB / 64 }, () => 'x'.repeat(61)));
    const start = performance.now();
    JSON.parse(plain);
    const parse = performance.now() - start;
    expect(secondsFor(json)).toBeLessThan(100 * Math.max(parse, secondsFor(plain)));
  },
);
