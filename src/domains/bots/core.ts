import type { Messengers } from './messengers';
import type { Turns } from './turns';

/** What the bots add to the dependencies of all roles. */
declare module '../../base/core' {
  interface Core {
    messengers: Messengers;
    /** The pace of single messages through the bots. */
    turns: Turns;
  }
}
