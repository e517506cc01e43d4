/** The public interface of the agenda. */
export { AFTER_REQUEST, batchKind, type BatchWork, beginNow, MORE } from './batches';
export { type DueRow, type Next, PARKED, resumeEntries, scheduleAt, scheduleBy, unschedule } from './queries';
export { type Agenda, type Kind, startAgenda } from './relay';
export { reportNext, type Start, workflowKind } from './workflow';
