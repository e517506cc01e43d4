/** What other domains may use of this one. */
export { enrolByCauses, enrolInto } from './enrol';
export type { NewEnrolment } from './queries';
