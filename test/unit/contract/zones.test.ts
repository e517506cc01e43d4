import {
  instantAt,
  isTimeZone,
  localTimeAt,
  timeZones,
  type LocalTime,
} from '../../../src/base/contract/zones';
import { MINUTE, oddZones, offsetAt, shownAt, transitionsOf } from './transitions';
import { sampled } from '../../support/fuzz';

const STEP = 15 * MINUTE;

function local(shown: number): LocalTime {
  const date = new Date(shown);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

const at = (year: number, month: number, day: number, hour = 0, minute = 0): LocalTime => ({
  year,
  month,
  day,
  hour,
  minute,
  second: 0,
});

describe('names of zones', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'Europe/Moscow',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'Etc/GMT+5',
  ])('knows %s', (name) => expect(isTimeZone(name)).toBe(true));

  it.each([
    '',
    'utc',
    'europe/berlin',
    'EUROPE/KYIV',
    '+03:00',
    'IST',
    'PST',
    'Mars/Olympus',
    'Europe/Berlin ',
    '__proto__',
  ])('does not know %j', (name) => expect(isTimeZone(name)).toBe(false));

  it('lists them once each', () => {
    const names = timeZones();
    expect(names.length).toBeGreaterThan(590);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('local times', () => {
  it('are those of a wall clock', () => {
    expect(localTimeAt(new Date('2026-07-01T22:30:05Z'), 'Europe/Berlin')).toEqual({
      ...at(2026, 7, 2, 0, 30),
      second: 5,
      weekday: 4,
    });
    expect(instantAt(at(2026, 7, 2, 0, 30), 'Europe/Berlin').toISOString()).toBe('2026-07-01T22:30:00.000Z');
    expect(localTimeAt(new Date('2026-03-01T12:00:00Z'), 'UTC').weekday).toBe(7);
  });

  it('that do not exist move forward by the gap', () => {
    expect(instantAt(at(2026, 3, 29, 2, 30), 'Europe/Berlin').toISOString()).toBe('2026-03-29T01:30:00.000Z');
    // Half an hour.
    expect(instantAt(at(2026, 10, 4, 2, 15), 'Australia/Lord_Howe').toISOString()).toBe(
      '2026-10-03T15:45:00.000Z',
    );
    // A whole day that Samoa skipped.
    expect(localTimeAt(instantAt(at(2011, 12, 30, 12), 'Pacific/Apia'), 'Pacific/Apia').day).toBe(31);
  });

  it('that occur twice are the first', () => {
    expect(instantAt(at(2026, 10, 25, 2, 30), 'Europe/Berlin').toISOString()).toBe(
      '2026-10-25T00:30:00.000Z',
    );
  });

  it('are so at every transition of every zone in two years', () => {
    const [from, to] = [Date.UTC(2026, 0), Date.UTC(2028, 0)];
    const wrong: string[] = [];
    let transitions = 0;
    for (const zone of sampled(timeZones(), 10, oddZones)) {
      for (const transition of transitionsOf(zone, from, to)) {
        transitions += 1;
        const first = new Map<number, number>();
        for (let instant = transition - 16 * STEP; instant <= transition + 16 * STEP; instant += STEP) {
          const shown = shownAt(instant, zone);
          if (!first.has(shown)) first.set(shown, instant);
        }
        const gap = offsetAt(transition, zone) - offsetAt(transition - MINUTE, zone);
        const times = [...first.keys()];
        for (let shown = Math.min(...times); shown <= Math.max(...times); shown += STEP) {
          const expected = first.get(shown) ?? first.get(shown + gap);
          if (instantAt(local(shown), zone).getTime() !== expected) {
            wrong.push(`${zone} ${new Date(shown).toISOString()}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(transitions).toBeGreaterThan(80);
  });
});
