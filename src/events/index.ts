/** What other domains may use of this one. */
export { type BulkEvent, emitBulkEvents } from './queries/emit-bulk';
export { emitEvent, emitTestEvent } from './queries/emit';
export { findEventTraceparent } from './queries/traces';
