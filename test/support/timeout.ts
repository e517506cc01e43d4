/** A guard against a test that hangs, not a promise about speed: real servers start and stop inside these tests. */
jest.setTimeout(60_000);
