import { createFlood } from '../../../src/lib/flood';

const FLOOD_PER_SECOND = 100;

function timing() {
  let now = 0;
  const flood = createFlood({ perSecond: FLOOD_PER_SECOND, windowMs: 500 }, () => now);
  return {
    flood,
    /** Arrivals at an even pace. */
    arrive(perSecond: number, seconds: number) {
      for (let i = 0; i < perSecond * seconds; i += 1) {
        flood.arrived();
        now += 1000 / perSecond;
      }
    },
    pass: (ms: number) => void (now += ms),
  };
}

test('an ordinary pace is no flood', () => {
  const { flood, arrive } = timing();
  arrive(FLOOD_PER_SECOND / 2, 5);
  expect(flood.isOn()).toBe(false);
});

test('many more than that are one, and it ends when they stay away', () => {
  const { flood, arrive, pass } = timing();
  arrive(3 * FLOOD_PER_SECOND, 2);
  expect(flood.isOn()).toBe(true);
  pass(2_000);
  expect(flood.isOn()).toBe(false);
});

test('what arrives together counts each', () => {
  const { flood } = timing();
  flood.arrived(FLOOD_PER_SECOND - 1);
  expect(flood.isOn()).toBe(false);
  flood.arrived();
  expect(flood.isOn()).toBe(true);
});

test('a flood in pauses of a quarter of a second is one flood', () => {
  const { flood, arrive, pass } = timing();
  for (let i = 0; i < 8; i += 1) {
    arrive(8 * FLOOD_PER_SECOND, 0.25);
    expect(flood.isOn()).toBe(true);
    pass(250);
    expect(flood.isOn()).toBe(true);
  }
});
