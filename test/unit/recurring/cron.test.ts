import {
  CronFault,
  isOccurrence,
  lastOccurrences,
  localName,
  nextOccurrence,
  parseCron,
} from '../../../src/domains/recurring/cron';

const next = (cron: string, zone: string, after: string) =>
  nextOccurrence(parseCron(cron), zone, new Date(after))?.toISOString();

describe('a cron expression', () => {
  it('allows values, lists, ranges, steps and names', () => {
    expect(parseCron('*/20 9-17/4 1,15 * *')).toMatchObject({
      minute: [0, 20, 40],
      hour: [9, 13, 17],
      day: [1, 15],
    });
    expect(parseCron('0 9 * JAN,jun-AUG MON-FRI')).toMatchObject({
      month: [1, 6, 7, 8],
      weekday: [1, 2, 3, 4, 5],
    });
    expect(parseCron('5/15 0 * * 0,7').minute).toEqual([5, 20, 35, 50]);
    expect(parseCron('0 0 * * FRI-SUN').weekday).toEqual([0, 5, 6]);
    expect(parseCron('0 0 * * */2').weekday).toEqual([0, 2, 4, 6]);
    for (const sunday of ['SUN-SUN', '0-0', '7-7', '7-0', 'SUN']) {
      expect(parseCron(`0 0 * * ${sunday}`).weekday).toEqual([0]);
    }
    for (const everyDay of ['0-7', 'MON-SUN', '0-6', '*']) {
      expect(parseCron(`0 0 * * ${everyDay}`).weekday).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '*-5 * * * *',
    '@daily',
    'a * * * *',
    '0 0 1 * MON',
    '0 0 30 2 *',
    '1,,2 * * * *',
  ])('that is wrong is refused: %j', (text) => {
    expect(() => parseCron(text)).toThrow(CronFault);
  });
});

describe('the next occurrence', () => {
  it('is that of the zone', () => {
    expect(next('0 9 * * *', 'Europe/Berlin', '2026-01-15T07:59:00Z')).toBe('2026-01-15T08:00:00.000Z');
    expect(next('0 9 * * *', 'Europe/Berlin', '2026-01-15T08:00:00Z')).toBe('2026-01-16T08:00:00.000Z');
    expect(next('0 9 * * MON', 'Asia/Tokyo', '2026-01-15T00:00:00Z')).toBe('2026-01-19T00:00:00.000Z');
    expect(next('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z')).toBe('2028-02-29T00:00:00.000Z');
    expect(next('59 23 31 12 *', 'Pacific/Kiritimati', '2026-12-31T09:59:00Z')).toBe(
      '2027-12-31T09:59:00.000Z',
    );
  });

  it('leaves out a local time that does not exist, and takes the first of one that occurs twice', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(isOccurrence(parseCron('30 2 * * *'), 'Europe/Berlin', new Date('2026-10-25T01:30:00Z'))).toBe(
      false,
    );
    expect(localName(new Date('2026-10-25T00:30:00Z'), 'Europe/Berlin')).toBe('2026-10-25T02:30');
  });

  it('is one of the years that a response can express', () => {
    expect(next('59 23 31 12 *', 'UTC', '9999-01-01T00:00:00Z')).toBe('9999-12-31T23:59:00.000Z');
    expect(next('0 9 * * *', 'UTC', '9999-12-31T23:00:00Z')).toBeUndefined();
    expect(next('0 23 31 12 *', 'America/New_York', '9999-01-01T12:00:00Z')).toBeUndefined();
  });

  it('comes after the one before, through the changes of the clocks', () => {
    for (const zone of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Kathmandu',
    ]) {
      const cron = parseCron('*/30 * * * *');
      for (const start of [
        '2026-03-07',
        '2026-03-28',
        '2026-04-04',
        '2026-10-03',
        '2026-10-24',
        '2026-10-31',
      ]) {
        const seen = new Set<string>();
        let at = new Date(`${start}T06:00:00Z`);
        for (let count = 0; count < 60; count += 1) {
          const following = nextOccurrence(cron, zone, at);
          if (!following || following <= at) throw new Error(`${zone}: nothing after ${at.toISOString()}`);
          expect(following.getTime() - at.getTime()).toBeLessThanOrEqual(2 * 3_600_000);
          expect(seen.has(localName(following, zone))).toBe(false);
          seen.add(localName(following, zone));
          at = following;
        }
      }
    }
  });
});

describe('the last occurrences', () => {
  const last = (cron: string, after: string, until: string, limit: number) =>
    lastOccurrences(parseCron(cron), 'Europe/Berlin', {
      after: new Date(after),
      until: new Date(until),
      limit,
    }).map((at) => at.toISOString());

  it('come after one instant and up to another, the oldest left out first', () => {
    expect(last('0 9 * * *', '2026-01-14T08:00:00Z', '2026-01-17T08:00:00Z', 10)).toEqual([
      '2026-01-15T08:00:00.000Z',
      '2026-01-16T08:00:00.000Z',
      '2026-01-17T08:00:00.000Z',
    ]);
    expect(last('0 9 * * *', '2020-01-01T00:00:00Z', '2026-01-17T08:00:00Z', 2)).toEqual([
      '2026-01-16T08:00:00.000Z',
      '2026-01-17T08:00:00.000Z',
    ]);
    expect(last('* * * * *', '2020-01-01T00:00:00Z', '2026-01-17T08:00:00Z', 500)).toHaveLength(500);
    expect(last('0 0 29 2 *', '2020-01-01T00:00:00Z', '2026-01-17T08:00:00Z', 500)).toEqual([
      '2020-02-28T23:00:00.000Z',
      '2024-02-28T23:00:00.000Z',
    ]);
    expect(last('* * * * *', '2026-01-17T08:00:00Z', '2026-01-17T08:00:59Z', 5)).toEqual([]);
    expect(last('* * * * *', '2026-01-17T08:05:00Z', '2026-01-17T08:00:00Z', 5)).toEqual([]);
  });
});
