import fc from 'fast-check';
import { decodeCursor, encodeCursor, toPage } from '../../../src/base/contract/cursor';
import { AppError } from '../../../src/base/contract/errors';

const row = (n: number) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  cursor_at: `2026-01-15T10:30:00.${String(n).padStart(6, '0')}Z`,
});

describe('a cursor', () => {
  it('comes back as it was, to the microsecond', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.integer({ min: 0, max: 999 }),
        (id, time, micros) => {
          const at = time.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
          expect(decodeCursor(encodeCursor({ at, id }))).toEqual({ at, id });
        },
      ),
    );
  });

  it('is refused with validation_failed where a list has not made it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text)).toThrow(AppError);
      }),
    );
    const { id } = row(1);
    for (const day of ['0000-01-01', '2026-02-31', '2026-13-01']) {
      const forged = encodeCursor({ at: `${day}T00:00:00.000000Z`, id });
      expect(() => decodeCursor(forged)).toThrow(AppError);
    }
    expect(decodeCursor(undefined)).toBeNull();
  });
});

describe('a page', () => {
  it('has a next cursor only when there is more', () => {
    const rows = [row(3), row(2), row(1)];
    const page = toPage(rows, 2, ({ id }) => id);
    expect(page.data).toEqual([row(3).id, row(2).id]);
    expect(decodeCursor(page.next_cursor ?? '')).toEqual({ at: row(2).cursor_at, id: row(2).id });
    expect(toPage(rows, 3, ({ id }) => id)).toEqual({ data: rows.map(({ id }) => id), next_cursor: null });
    expect(toPage([], 3, ({ id }: { id: string; cursor_at: string }) => id)).toEqual({
      data: [],
      next_cursor: null,
    });
  });
});
