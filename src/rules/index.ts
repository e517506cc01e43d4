/** What other domains may use of this one. */
export { type Facts, propertyRulesHold, rulesHold } from './evaluate';
export { findFacts } from './queries';
