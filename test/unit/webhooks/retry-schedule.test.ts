import fc from 'fast-check';
import { retryPolicySchema, type RetryPolicyName } from '../../../src/domains/projects/contract';
import { classifyAttempt, nextAttemptAt, retryPolicies } from '../../../src/domains/webhooks/retry-schedule';

const retryPolicyNames = retryPolicySchema.options;
const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const T = Date.UTC(2026, 0, 1);

/** The times, relative to T, of every attempt when each one fails after `attemptMs`. */
function timetable(policy: RetryPolicyName, attemptMs: number, unitMs = second): number[] {
  const times = [0];
  let now = T + attemptMs;
  for (;;) {
    const next = nextAttemptAt({ policy, attemptsMade: times.length, firstAttemptAt: T, now, unitMs });
    if (next === null) return times;
    times.push(next - T);
    now = next + attemptMs;
  }
}

describe('the timetable of a failing delivery', () => {
  it('durable: T, +30 s, +2 min, +10 min, +1 h, +6 h, +24 h', () => {
    const expected = [0, 30, 120, 600, 3_600, 21_600, 86_400].map((offset) => offset * second);
    expect(timetable('durable', 50)).toEqual(expected);
  });

  it('durable: attempts that take their whole ten seconds do not move the times', () => {
    expect(timetable('durable', 10 * second)).toEqual(timetable('durable', 0));
  });

  it('quick: after 1 s, then 2 s, then 4 s', () => {
    expect(timetable('quick', 0)).toEqual([0, 1_000, 3_000, 7_000]);
  });

  it('quick: a receiver that hangs for ten seconds still gets its pauses of 1, 2 and 4 seconds', () => {
    expect(timetable('quick', 10 * second)).toEqual([0, 11_000, 23_000, 37_000]);
  });

  it('shortened for a test: a second of the schedule is as long as the unit says', () => {
    expect(timetable('durable', 0, 20)).toEqual(retryPolicies.durable.offsets.map((offset) => offset * 20));
    expect(timetable('quick', 0, 20)).toEqual([0, 20, 60, 140]);
  });

  it('a delivery not yet attempted is due at T, or now when T has gone by', () => {
    const question = { policy: 'durable', attemptsMade: 0, firstAttemptAt: T } as const;
    expect(nextAttemptAt({ ...question, now: T - 5 })).toBe(T);
    expect(nextAttemptAt({ ...question, now: T + 5 })).toBe(T + 5);
  });

  it('attempts missed during a pause are not all made at once', () => {
    const now = T + 3 * hour;
    const third = nextAttemptAt({ policy: 'durable', attemptsMade: 3, firstAttemptAt: T, now });
    expect(third).toBe(now + 480 * second);
    const sixth = nextAttemptAt({ policy: 'durable', attemptsMade: 5, firstAttemptAt: T, now });
    expect(sixth).toBe(T + 6 * hour);
  });

  it('once the 24 hours are over a failure is the last one', () => {
    for (const policy of retryPolicyNames) {
      const question = { policy, attemptsMade: 2, firstAttemptAt: T, now: T + day };
      expect(nextAttemptAt(question)).toBeNull();
      expect(nextAttemptAt({ ...question, retryAfterMs: hour })).toBeNull();
    }
  });
});

describe('Retry-After', () => {
  const first = { policy: 'durable', attemptsMade: 1, firstAttemptAt: T, now: T + second } as const;

  it('never brings an attempt forward', () => {
    expect(nextAttemptAt({ ...first, retryAfterMs: 5 * second })).toBe(T + 30 * second);
    expect(nextAttemptAt({ ...first, retryAfterMs: 0 })).toBe(T + 30 * second);
    expect(nextAttemptAt({ ...first, retryAfterMs: null })).toBe(T + 30 * second);
    expect(nextAttemptAt({ ...first, retryAfterMs: -hour })).toBe(T + 30 * second);
  });

  it('delays the next attempt', () => {
    expect(nextAttemptAt({ ...first, retryAfterMs: hour })).toBe(T + second + hour);
  });

  it('one month is cut to 24 hours after the first attempt', () => {
    expect(nextAttemptAt({ ...first, retryAfterMs: 30 * day })).toBe(T + day);
  });

  it('does not shorten the last wait of the schedule', () => {
    const last = { policy: 'durable', attemptsMade: 6, firstAttemptAt: T, now: T + 7 * hour } as const;
    expect(nextAttemptAt({ ...last, retryAfterMs: 30 * day })).toBe(T + day);
  });

  it('whatever the receiver asks for, the next attempt is on or after the schedule, not before now, within 24 hours', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...retryPolicyNames),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 2 * day }),
        fc.option(fc.integer({ min: -day, max: 400 * day })),
        (policy, attemptsMade, sinceFirst, retryAfterMs) => {
          const now = T + sinceFirst;
          const asked = nextAttemptAt({ policy, attemptsMade, firstAttemptAt: T, now, retryAfterMs });
          const plain = nextAttemptAt({ policy, attemptsMade, firstAttemptAt: T, now });
          if (plain === null || asked === null) return asked === plain;
          const scheduled = T + retryPolicies[policy].offsets[attemptsMade]! * second;
          return asked >= plain && asked >= scheduled && asked > now && asked <= T + day;
        },
      ),
    );
  });
});

describe('what an answer means', () => {
  it.each([200, 201, 202, 204, 299])('%i is a success in both policies', (status) => {
    expect(retryPolicyNames.map((policy) => classifyAttempt(policy, status))).toEqual(['success', 'success']);
  });

  it.each([408, 425, 429])('%i is retried in durable and ends in quick', (status) => {
    expect(classifyAttempt('durable', status)).toBe('retry');
    expect(classifyAttempt('quick', status)).toBe('refuse');
  });

  it.each([400, 401, 403, 404, 409, 413, 422, 451, 499])('%i ends in both policies', (status) => {
    expect(retryPolicyNames.map((policy) => classifyAttempt(policy, status))).toEqual(['refuse', 'refuse']);
  });

  it('410 ends the delivery in both policies and marks the endpoint as gone', () => {
    expect(retryPolicyNames.map((policy) => classifyAttempt(policy, 410))).toEqual(['gone', 'gone']);
  });

  it.each([null, 301, 302, 304, 500, 502, 503, 504, 599, 600, 999])(
    '%p is retried in both policies',
    (status) => {
      expect(retryPolicyNames.map((policy) => classifyAttempt(policy, status))).toEqual(['retry', 'retry']);
    },
  );
});
