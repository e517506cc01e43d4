import fc from 'fast-check';
import { localTimeAt, timeZones } from '../../../src/base/contract/zones';
import { newChainSchema, type Step, type StepOf } from '../../../src/domains/drip/contract';
import { MINUTE, oddZones, offsetAt, transitionsOf } from '../contract/transitions';
import { labelsIn } from '../../../src/domains/drip/uses';
import { delayEnd, stepAfter, stepAfterCondition, windowOpening } from '../../../src/domains/drip/steps';
import { runs, sampled } from '../../support/fuzz';

const end = (id: string): Step => ({ id, type: 'end' });
const condition = (id: string, target: string): StepOf<'condition'> => ({
  id,
  type: 'condition',
  if: { rules: [{ tag: 'x' }] },
  else: target,
});
const window = (from: string, to: string, weekdays?: number[]): StepOf<'wait_until'> => ({
  id: 'w',
  type: 'wait_until',
  from,
  to,
  timezone: 'recipient',
  ...(weekdays && { weekdays }),
});

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

describe('the steps of a chain', () => {
  const steps = [condition('a', 'c'), condition('b', 'end'), end('c'), end('end')];

  it('follow each other', () => {
    expect(stepAfter(steps, 'a')?.id).toBe('b');
    expect(stepAfter(steps, 'end')).toBeNull();
    expect(stepAfter(steps, 'gone')).toBeNull();
  });

  it('branch by a condition: to a later step, or to the end', () => {
    const [a, b] = [condition('a', 'c'), condition('b', 'end')];
    expect(stepAfterCondition(steps, a, true)?.id).toBe('b');
    expect(stepAfterCondition(steps, a, false)?.id).toBe('c');
    expect(stepAfterCondition(steps, b, false)).toBeNull();
  });

  it('always end: whatever the conditions say, no step comes twice', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 50 }),
        fc.infiniteStream(fc.boolean()),
        (targets, holds) => {
          const given = targets.map((target, index) => ({
            id: `s${index}`,
            type: 'condition',
            if: { rules: [{ tag: 'x' }] },
            else: index + 1 + target < targets.length ? `s${index + 1 + target}` : 'end',
          }));
          const chain = newChainSchema.parse({ name: 'x', trigger: { type: 'manual' }, steps: given });
          const seen = new Set<string>();
          for (let step: Step | null = chain.steps[0] ?? null; step?.type === 'condition';) {
            expect(seen.has(step.id)).toBe(false);
            seen.add(step.id);
            step = stepAfterCondition(chain.steps, step, holds.next().value as boolean);
          }
        },
      ),
    );
  });

  it('name the tags and permissions that must not be removed', () => {
    const { trigger, steps: given } = newChainSchema.parse({
      name: 'x',
      trigger: { type: 'tag_added', tag: 'start' },
      steps: [
        { id: 'a', type: 'tag', add: ['added'], remove: ['removed'] },
        { id: 'b', type: 'condition', if: { rules: [{ tag: 'asked' }, { permission: 'p1' }] }, else: 'end' },
        { id: 'c', type: 'send', content: { text: 'x' }, permission: 'p2' },
      ],
    });
    const labels = labelsIn({ trigger, steps: given, exit_on: { rules: [{ tag: 'left' }] } });
    expect(labels.tags.sort()).toEqual(['added', 'asked', 'left', 'removed', 'start']);
    expect(labels.permissions.sort()).toEqual(['p1', 'p2']);
  });
});

describe('a delay', () => {
  it('lasts its minutes; a scale shortens it for tests, but never to nothing', () => {
    const step: StepOf<'delay'> = { id: 'd', type: 'delay', minutes: 90 };
    const began = new Date('2026-03-01T10:00:00Z');
    expect(delayEnd(step, began, 1)).toEqual(new Date('2026-03-01T11:30:00Z'));
    expect(delayEnd(step, began, 0.01)).toEqual(new Date('2026-03-01T10:00:54Z'));
    expect(delayEnd(step, began, 1e-9).getTime()).toBe(began.getTime() + 1);
  });
});

describe('a wait for the time of day', () => {
  const opening = (step: StepOf<'wait_until'>, now: string, zone = 'UTC') =>
    windowOpening(step, new Date(now), zone).toISOString();

  it('goes on at once inside the window, whose end does not belong to it', () => {
    const day = window('09:00', '18:00');
    expect(opening(day, '2026-03-02T09:00:00Z')).toBe('2026-03-02T09:00:00.000Z');
    expect(opening(day, '2026-03-02T17:59:59Z')).toBe('2026-03-02T17:59:59.000Z');
    expect(opening(day, '2026-03-02T18:00:00Z')).toBe('2026-03-03T09:00:00.000Z');
    expect(opening(day, '2026-03-02T03:00:00Z')).toBe('2026-03-02T09:00:00.000Z');
    expect(opening(window('00:00', '24:00'), '2026-03-02T23:59:59Z')).toBe('2026-03-02T23:59:59.000Z');
  });

  it('waits for the next of its weekdays', () => {
    // 2 March 2026 is a Monday.
    const weekend = window('10:00', '12:00', [6, 7]);
    expect(opening(weekend, '2026-03-02T11:00:00Z')).toBe('2026-03-07T10:00:00.000Z');
    expect(opening(weekend, '2026-03-07T12:00:00Z')).toBe('2026-03-08T10:00:00.000Z');
    expect(opening(window('10:00', '12:00', [1]), '2026-03-02T12:00:00Z')).toBe('2026-03-09T10:00:00.000Z');
  });

  it('follows the clock of the zone, also over a change', () => {
    expect(opening(window('09:00', '18:00'), '2026-03-02T00:30:00Z', 'Asia/Tokyo')).toBe(
      '2026-03-02T00:30:00.000Z',
    );
    // 02:30 does not exist on 29 March in Berlin: the clock goes from 02:00 to 03:00.
    expect(opening(window('02:30', '05:00'), '2026-03-29T00:00:00Z', 'Europe/Berlin')).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    // A window that the clock skips moves forward by the gap and is as long as on other days.
    const skipped = window('02:20', '02:40', [7]);
    const onSkipped = (now: string) => opening(skipped, now, 'Europe/Berlin');
    expect(onSkipped('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:20:00.000Z');
    expect(onSkipped('2026-03-29T01:00:00Z')).toBe('2026-03-29T01:20:00.000Z');
    expect(onSkipped('2026-03-29T01:39:59Z')).toBe('2026-03-29T01:39:59.000Z');
    expect(onSkipped('2026-03-29T01:40:00Z')).toBe('2026-04-05T00:20:00.000Z');
    // Its end belongs to the gap, too, where it is the first time after it.
    expect(opening(window('02:20', '03:00'), '2026-03-29T00:00:00Z', 'Europe/Berlin')).toBe(
      '2026-03-29T01:20:00.000Z',
    );
    // One whose beginning the clock skips is open as soon as the clock shows a time inside it.
    expect(opening(window('02:30', '03:15'), '2026-03-29T00:00:00Z', 'Europe/Berlin')).toBe(
      '2026-03-29T01:00:00.000Z',
    );
    // 02:30 comes twice on 25 October: the window is open both times.
    for (const now of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']) {
      expect(opening(window('02:00', '03:00'), now, 'Europe/Berlin')).toBe(now);
    }
  });

  it('opens on every day, also on those on which a zone changes its clock, for two years', () => {
    const [from, to] = [Date.UTC(2026, 0), Date.UTC(2028, 0)];
    const wrong: string[] = [];
    let gaps = 0;
    for (const zone of sampled(Intl.supportedValuesOf('timeZone'), 10, oddZones)) {
      for (const at of transitionsOf(zone, from, to)) {
        const before = offsetAt(at - MINUTE, zone);
        if (offsetAt(at, zone) < before) continue;
        gaps += 1;
        // The first of the minutes that the clock skips.
        const minute = ((at + before) % 86_400_000) / MINUTE;
        for (const [step, opens] of [
          [window(clock(minute + 10), clock(minute + 20)), at + 10 * MINUTE],
          [window(clock(minute), clock(minute + 1)), at],
        ] as const) {
          const found = windowOpening(step, new Date(at - 60 * MINUTE), zone).getTime();
          if (found !== opens) {
            wrong.push(`${zone} ${new Date(at).toISOString()}: ${new Date(found).toISOString()}`);
          }
          if (windowOpening(step, new Date(opens), zone).getTime() !== opens) {
            wrong.push(`${zone}: not open after the gap`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(gaps).toBeGreaterThan(30);
  });

  it('is never before now, and inside the window, in every zone', () => {
    const zones = timeZones();
    const minute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
        fc.tuple(minute, minute).filter(([a, b]) => Math.abs(a - b) > 180),
        fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (zone, now, [a, b], weekdays) => {
          const step = window(clock(Math.min(a, b)), clock(Math.max(a, b)), weekdays);
          const found = windowOpening(step, now, zone);
          expect(found.getTime()).toBeGreaterThanOrEqual(now.getTime());
          expect(found.getTime()).toBeLessThanOrEqual(now.getTime() + 8 * 86_400_000);
          const local = localTimeAt(found, zone);
          expect(weekdays).toContain(local.weekday);
          expect(local.hour * 60 + local.minute).toBeGreaterThanOrEqual(Math.min(a, b));
          expect(local.hour * 60 + local.minute).toBeLessThan(Math.max(a, b));
          // What is found is open: going on from there changes nothing.
          expect(windowOpening(step, found, zone)).toEqual(found);
        },
      ),
      runs(100),
    );
  });
});
