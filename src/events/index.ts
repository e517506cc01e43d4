/** What other domains may use of this one. */
export { type BulkEvent, emitBulkEvents, emitEvent, emitTestEvent } from './queries/emit';
export { findEventTraceparent } from './queries/traces';
