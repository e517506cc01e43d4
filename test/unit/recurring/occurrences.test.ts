import { localName } from '../../../src/domains/recurring/cron';
import {
  dueOccurrences,
  LATE_MS,
  nextRunAfter,
  occursAt,
  openOccurrence,
} from '../../../src/domains/recurring/occurrences';

const message = (
  changes: { cron?: string; timezone?: string; start?: string; end?: string; next?: string } = {},
) => ({
  cron: changes.cron ?? '0 9 * * *',
  timezone: changes.timezone ?? 'UTC',
  start_at: changes.start ? new Date(changes.start) : null,
  end_at: changes.end ? new Date(changes.end) : null,
  next_at: new Date(changes.next ?? '2026-01-01T09:00:00Z'),
  max_runs: null as number | null,
  runs: 0,
  status: 'active' as const,
});
const due = (row: Parameters<typeof dueOccurrences>[0], now: string) => {
  const { current, missed } = dueOccurrences(row, new Date(now));
  return { current: current?.toISOString() ?? null, missed: missed.map((at) => at.toISOString()) };
};

describe('an occurrence', () => {
  it('exactly at the start or at the end runs', () => {
    const start = '2026-01-05T09:00:00Z';
    const row = message({ start, end: '2026-01-06T09:00:00Z', next: start });
    expect(nextRunAfter(row, new Date('2026-01-01T00:00:00Z'))).toEqual(row.start_at);
    expect(nextRunAfter(row, new Date('2026-01-05T09:00:00Z'))).toEqual(row.end_at);
    expect(nextRunAfter(row, new Date('2026-01-06T09:00:00Z'))).toBeNull();
    expect([occursAt(row, row.start_at!), occursAt(row, row.end_at!)]).toEqual([true, true]);
    expect(due(row, '2026-01-05T09:00:00Z').current).toBe('2026-01-05T09:00:00.000Z');
    expect(due(row, '2026-01-06T09:10:00Z').current).toBe('2026-01-06T09:00:00.000Z');

    const inside = message({ start: '2026-01-05T09:00:00.001Z', end: '2026-01-06T08:59:59.999Z' });
    expect(nextRunAfter(inside, new Date('2026-01-01T00:00:00Z'))).toBeNull();
    expect(occursAt(inside, new Date('2026-01-05T09:00:00Z'))).toBe(false);
    expect(occursAt(inside, new Date('2026-01-06T09:00:00Z'))).toBe(false);
    expect(due({ ...inside, next_at: null }, '2026-01-06T09:10:00Z')).toEqual({ current: null, missed: [] });
  });

  it('that is due can run for an hour, and until a later one is due', () => {
    const at = Date.parse('2026-01-05T09:00:00Z');
    const row = message({ next: '2026-01-05T09:00:00Z' });
    expect(due(row, '2026-01-05T08:59:59.999Z')).toEqual({ current: null, missed: [] });
    expect(dueOccurrences(row, new Date(at + LATE_MS)).current?.getTime()).toBe(at);
    expect(dueOccurrences(row, new Date(at + LATE_MS + 1))).toEqual({
      current: null,
      missed: [new Date(at)],
    });
    const often = message({ cron: '0,20 9 * * *', next: '2026-01-05T09:00:00Z' });
    expect(due(often, '2026-01-05T09:25:00Z')).toEqual({
      current: '2026-01-05T09:20:00.000Z',
      missed: ['2026-01-05T09:00:00.000Z'],
    });
    expect(dueOccurrences({ ...often, status: 'paused' }, new Date('2026-01-05T09:25:00Z'))).toEqual({
      current: null,
      missed: [],
    });
    // The newest of years of minutes.
    expect(
      due(message({ cron: '* * * * *', next: '2020-01-01T00:00:00Z' }), '2026-01-05T09:00:00Z'),
    ).toMatchObject({
      current: '2026-01-05T09:00:00.000Z',
      missed: { length: 500 },
    });
  });

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-25T00:30:00.000Z'],
    ['Europe/London', '30 1 * * *', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '30 1 * * *', '2026-11-01T05:30:00.000Z'],
    ['Australia/Sydney', '30 2 * * *', '2026-04-04T15:30:00.000Z'],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T14:45:00.000Z'],
  ])('of a local time that %s shows twice is due at the first only', (timezone, cron, first) => {
    const row = message({ cron, timezone, next: first });
    const after = (minutes: number) => new Date(Date.parse(first) + minutes * 60_000).toISOString();
    expect(due(row, after(-1))).toEqual({ current: null, missed: [] });
    expect(due(row, after(1))).toEqual({ current: first, missed: [] });
    expect(due(row, after(61))).toEqual({ current: null, missed: [first] });
    // Once it is claimed, the next one is that of the following day.
    const claimed = new Set([localName(new Date(first), timezone)]);
    const following = openOccurrence(row, new Date(after(1)), claimed);
    expect(following!.getTime() - Date.parse(after(60))).toBeGreaterThan(22 * 3_600_000);
    expect(openOccurrence(row, new Date(after(60)), claimed)).toEqual(following);
    expect([occursAt(row, new Date(first)), occursAt(row, new Date(after(60)))]).toEqual([true, false]);
  });

  it('that is due and not claimed is open, for an hour and unless max_runs are used up', () => {
    const row = message({ end: '2026-01-05T09:00:00Z', next: '2026-01-05T09:00:00Z' });
    const now = new Date('2026-01-05T09:10:00Z');
    expect(openOccurrence(row, now, new Set())).toEqual(row.end_at);
    expect(openOccurrence(row, now, new Set(['2026-01-05T09:00']))).toBeNull();
    expect(openOccurrence({ ...row, max_runs: 2, runs: 2 }, now, new Set())).toBeNull();
    expect(openOccurrence(row, new Date('2026-01-05T10:00:01Z'), new Set())).toBeNull();
  });

  it('after very many that were skipped is computed when the last of them comes', () => {
    const row = message({ cron: '* * * * *' });
    const start = Date.parse('2026-01-05T09:00:00Z');
    const minute = (n: number) => new Date(start + n * 60_000);
    const claimed = new Set(Array.from({ length: 600 }, (_, n) => localName(minute(n + 1), 'UTC')));
    expect(nextRunAfter(row, minute(0), claimed)).toEqual(minute(500));
    expect(nextRunAfter(row, minute(500), claimed)).toEqual(minute(601));
  });
});
