/** The public interface of this domain. */
export { insertAudienceJob, TooManyJobs } from './audience-job';
export {
  checkContentNow,
  checkTemplate,
  type ContentCheckDeps,
  readProject,
  requireRoomForEntry,
} from './entries';
export type { BroadcastEndHook } from './on-end';
export { prepare } from './prepare';
export { type AudienceCount, zonesOfAudience } from './queries/broadcasts';
export { hasTooLate, mostFrequentFailure } from './queries/ends';
export { namedByAudience } from './queries/uses';
