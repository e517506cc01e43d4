import {
  dueOccurrences,
  isOver,
  isPlanned,
  LATE_MS,
  nextRunAfter,
} from '../../../src/broadcasts/recurring/occurrences';

const plan = (
  changes: { cron?: string; timezone?: string; start?: string; end?: string; planned?: string } = {},
) => ({
  cron: changes.cron ?? '0 9 * * *',
  timezone: changes.timezone ?? 'UTC',
  start_at: changes.start ? new Date(changes.start) : null,
  end_at: changes.end ? new Date(changes.end) : null,
  planned_at: new Date(changes.planned ?? '2026-01-01T00:00:00Z'),
  max_runs: null,
  runs: 0,
  status: 'active' as const,
});
const due = (row: Parameters<typeof dueOccurrences>[0], now: string) => {
  const { current, missed } = dueOccurrences(row, new Date(now));
  return { current: current?.toISOString() ?? null, missed: missed.map((at) => at.toISOString()) };
};

describe('an occurrence', () => {
  it('exactly at the start or at the end of the plan runs', () => {
    const row = plan({ start: '2026-01-05T09:00:00Z', end: '2026-01-06T09:00:00Z' });
    expect(nextRunAfter(row, new Date('2026-01-01T00:00:00Z'))).toEqual(row.start_at);
    expect(nextRunAfter(row, new Date('2026-01-05T09:00:00Z'))).toEqual(row.end_at);
    expect(nextRunAfter(row, new Date('2026-01-06T09:00:00Z'))).toBeNull();
    expect([isPlanned(row, row.start_at!), isPlanned(row, row.end_at!)]).toEqual([true, true]);
    expect(due(row, '2026-01-05T09:00:00Z').current).toBe('2026-01-05T09:00:00.000Z');
    expect(due(row, '2026-01-06T09:10:00Z').current).toBe('2026-01-06T09:00:00.000Z');

    const inside = plan({ start: '2026-01-05T09:00:00.001Z', end: '2026-01-06T08:59:59.999Z' });
    expect(nextRunAfter(inside, new Date('2026-01-01T00:00:00Z'))).toBeNull();
    expect(isPlanned(inside, new Date('2026-01-05T09:00:00Z'))).toBe(false);
    expect(isPlanned(inside, new Date('2026-01-06T09:00:00Z'))).toBe(false);
    expect(due(inside, '2026-01-06T09:10:00Z')).toEqual({ current: null, missed: [] });
  });

  it('that is due can run for an hour, and until a later one is due', () => {
    const at = Date.parse('2026-01-05T09:00:00Z');
    const row = plan({ planned: '2026-01-04T12:00:00Z' });
    expect(due(row, '2026-01-05T08:59:59.999Z')).toEqual({ current: null, missed: [] });
    expect(dueOccurrences(row, new Date(at + LATE_MS)).current?.getTime()).toBe(at);
    expect(dueOccurrences(row, new Date(at + LATE_MS + 1))).toEqual({
      current: null,
      missed: [new Date(at)],
    });
    const often = plan({ cron: '0,20 9 * * *', planned: '2026-01-04T12:00:00Z' });
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
      due(plan({ cron: '* * * * *', planned: '2020-01-01T00:00:00Z' }), '2026-01-05T09:00:00Z'),
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
    const planned = new Date(Date.parse(first) - 3_600_000).toISOString();
    const row = plan({ cron, timezone, planned });
    const after = (minutes: number) => new Date(Date.parse(first) + minutes * 60_000).toISOString();
    expect(due(row, after(-1))).toEqual({ current: null, missed: [] });
    expect(due(row, after(1))).toEqual({ current: first, missed: [] });
    expect(due(row, after(61))).toEqual({ current: null, missed: [first] });
    expect(due({ ...row, planned_at: new Date(first) }, after(61))).toEqual({ current: null, missed: [] });
    expect([isPlanned(row, new Date(first)), isPlanned(row, new Date(after(60)))]).toEqual([true, false]);
  });

  it('that is due and not claimed keeps its message open', () => {
    const row = plan({ end: '2026-01-05T09:00:00Z' });
    const now = new Date('2026-01-05T09:10:00Z');
    expect(isOver(row, now, new Set())).toBe(false);
    expect(isOver(row, now, new Set(['2026-01-05T09:00']))).toBe(true);
    expect(isOver({ ...row, planned_at: new Date('2026-01-05T09:00:00Z') }, now, new Set())).toBe(true);
  });
});
