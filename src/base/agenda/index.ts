/** The public interface of the agenda. */
export { AFTER_REQUEST, batchKind, type BatchWork, beginNow, MORE } from './batches';
export {
  type DueRow,
  makeDue,
  type Next,
  PARKED,
  resumeEntries,
  scheduleAt,
  scheduleBy,
  unschedule,
} from './queries';
export { type Agenda, type Kind, startAgenda } from './relay';
export { type Advanced, dueAgain, nothingDue, rowKind, type RowInput, type RowState } from './rows';
export { reportNext, type Start, workflowKind } from './workflow';
