/** What other domains may use of this one. */
export { type AdmitEvents, createAdmission } from './admission';
export { type Deliveries, deliveriesOfEvents } from './fan-out';
export { type NewEvent, emitEvent, emitEvents, emitTestEvent, type EmittedEvent } from './queries/emit';
export type { Refusal } from './publish';
export { eraseEventsOf } from './queries/erase';
export { writePublished } from './queries/publish';
export { workUuid } from './work-uuid';
