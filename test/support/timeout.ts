/** A safeguard against hanging tests, not a performance target: real servers start and stop inside these tests. */
jest.setTimeout(120_000);
