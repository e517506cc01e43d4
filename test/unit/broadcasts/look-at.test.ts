import { dueAt, lookAt } from '../../../src/broadcasts/scheduled/when';

const at = (text: string) => new Date(`${text}Z`);
const when = { scheduled_at: '2026-06-10T09:00:00', timezone: 'recipient' };
const due = dueAt(when, 'Europe/Berlin');

describe('when an entry is looked at again', () => {
  it('is its time, unless it depends on where the recipients are', () => {
    const berlin = { ...when, timezone: 'Europe/Berlin' };
    expect(lookAt(berlin, due, at('2026-06-01T00:00:00'))).toEqual(due);
  });

  it('is the first moment in any zone, as long as that is to come', () => {
    // Nine o'clock in Kiritimati, fourteen hours before UTC.
    expect(lookAt(when, due, at('2026-06-01T00:00:00'))).toEqual(at('2026-06-09T19:00:00'));
  });

  it('is every quarter of an hour from then on, until the time', () => {
    expect(lookAt(when, due, at('2026-06-09T20:00:00'))).toEqual(at('2026-06-09T20:15:00'));
    expect(lookAt(when, due, at('2026-06-10T06:50:00'))).toEqual(at('2026-06-10T07:00:00'));
    expect(lookAt(when, due, due)).toEqual(due);
  });
});
