/** What other domains may use of this one. */
export { enrolByCauses, enrolByEvents, enrolInto } from './enrol';
