import { dueAt, nextCheckAt, refuseOutOfRange } from '../../../src/domains/scheduled/when';

const at = (text: string) => new Date(`${text}Z`);
const when = { scheduled_at: '2026-06-10T09:00:00', timezone: 'recipient' };
const due = dueAt(when, 'Europe/Berlin');

describe('when an entry is checked again', () => {
  it('is its time, unless it depends on where the recipients are', () => {
    const berlin = { ...when, timezone: 'Europe/Berlin' };
    expect(nextCheckAt(berlin, due, at('2026-06-01T00:00:00'))).toEqual(due);
  });

  it('is the first moment in any zone, as long as that is to come', () => {
    // Nine o'clock in Kiritimati, fourteen hours before UTC.
    expect(nextCheckAt(when, due, at('2026-06-01T00:00:00'))).toEqual(at('2026-06-09T19:00:00'));
  });

  it('is every quarter of an hour from then on, until the time', () => {
    expect(nextCheckAt(when, due, at('2026-06-09T20:00:00'))).toEqual(at('2026-06-09T20:15:00'));
    expect(nextCheckAt(when, due, at('2026-06-10T06:50:00'))).toEqual(at('2026-06-10T07:00:00'));
    expect(nextCheckAt(when, due, due)).toEqual(due);
  });
});

describe('a local time', () => {
  const berlin = (scheduled_at: string) => dueAt({ scheduled_at, timezone: 'Europe/Berlin' }, 'UTC');

  it('that does not exist moves forward by the gap; of one that occurs twice it is the first', () => {
    expect(berlin('2026-03-29T02:30')).toEqual(at('2026-03-29T01:30:00'));
    expect(berlin('2026-03-29T01:59')).toEqual(at('2026-03-29T00:59:00'));
    expect(berlin('2026-10-25T02:30')).toEqual(at('2026-10-25T00:30:00'));
    expect(berlin('2026-10-25T03:00')).toEqual(at('2026-10-25T02:00:00'));
  });
});

describe('a time that is too early or too late', () => {
  const now = at('2026-06-01T12:00:00').getTime();
  const accepted = (scheduled_at: string, timezone: string | null = null) => {
    try {
      refuseOutOfRange({ scheduled_at, timezone }, now);
      return true;
    } catch {
      return false;
    }
  };

  it('is refused, to the millisecond', () => {
    expect(accepted('2026-06-01T12:00:00.000Z')).toBe(false);
    expect(accepted('2026-06-01T12:00:00.001Z')).toBe(true);
    expect(accepted('2027-06-02T12:00:00.000Z')).toBe(true);
    expect(accepted('2027-06-02T12:00:00.001Z')).toBe(false);
  });

  it('is refused for recipients if it has passed in every zone', () => {
    expect(accepted('2026-06-01T00:00:01', 'recipient')).toBe(true);
    expect(accepted('2026-06-01T00:00:00', 'recipient')).toBe(false);
  });
});
