import { patience } from './fuzz';

/** A safeguard against hanging tests, not a performance target: real servers start and stop inside these tests. */
jest.setTimeout(patience(120_000));
