/** What other domains may use of this one. */
export { type BulkEvent, emitBulkEvents, emitEvent, emitTestEvent, findEmitted } from './queries/emit';
export { eraseDueEvents, isAboutSubscriber, markEventsForErasure } from './queries/erase';
export { findEventTraceparent } from './queries/traces';
export type { OnTracked } from './tracked/track';
export type { TrackedEvent } from './tracked/queries';
