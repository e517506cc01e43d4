import { callsFor, withinCalls } from '../../../src/broadcasts/calls';

const fresh = { media_message_id: null };
const halfSent = { media_message_id: '1' };

describe('the calls of a broadcast', () => {
  it('are counted for each recipient, one where only the text is left', () => {
    expect(callsFor([fresh, fresh, halfSent], 2)).toBe(5);
    expect(callsFor([fresh, halfSent], 1)).toBe(2);
    expect(callsFor([], 2)).toBe(0);
  });

  it.each([
    [[fresh, fresh, fresh], 1, 2, 2],
    [[fresh, fresh, fresh], 2, 4, 2],
    [[fresh, fresh, fresh], 2, 5, 2],
    [[halfSent, fresh, fresh], 2, 3, 2],
    [[fresh, fresh], 2, 1, 1],
    [[fresh, fresh], 2, 0, 0],
    [[], 2, 5, 0],
  ])('of %j at %i each fit into %i: %i recipients', (recipients, calls, granted, taken) => {
    expect(withinCalls(recipients, calls, granted)).toHaveLength(taken);
  });
});
