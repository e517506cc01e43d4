import fc from 'fast-check';
import { shortPage } from '../../../src/base/contract/short-list';

const keyOf = (item: string) => item;
const present = keyOf;
const someItems = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 64 }), { maxLength: 30 });

/** All pages, one after the other. `between` changes the list before the next page is read. */
function read(list: string[], limit: number, between: (shown: string[]) => string[] = () => list): string[] {
  const shown: string[] = [];
  let items = list;
  let cursor: string | undefined;
  do {
    const page = shortPage(items, { cursor, limit }, keyOf, present);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    shown.push(...page.data);
    cursor = page.next_cursor ?? undefined;
    items = between(shown);
  } while (cursor !== undefined);
  return shown;
}

test('the pages of a short list are the list', () => {
  fc.assert(
    fc.property(someItems, fc.integer({ min: 1, max: 40 }), (items, limit) => {
      expect(read(items, limit)).toEqual(items);
      expect(shortPage(items, {}, keyOf, present)).toEqual({ data: items, next_cursor: null });
    }),
  );
});

test('an item that is removed or added between two pages hides no other', () => {
  fc.assert(
    fc.property(someItems, fc.integer({ min: 1, max: 40 }), (items, limit) => {
      const removed = new Set<string | undefined>();
      const removeLast = (shown: string[]) => {
        removed.add(shown.at(-1));
        return items.filter((item) => !removed.has(item));
      };
      expect(read(items, limit, removeLast)).toEqual(items);
      // New items come first.
      expect(read(items, limit, () => ['a new item, longer than any other'.repeat(3), ...items])).toEqual(
        items,
      );
    }),
  );
});

test('a cursor of another kind is refused', () => {
  for (const cursor of ['no', '', Buffer.from('x|y').toString('base64url')]) {
    expect(() => shortPage(['a'], { cursor }, keyOf, present)).toThrow('cursor');
  }
});
