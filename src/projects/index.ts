/** What other domains may use of this one. */
export { chargeLogin, isBillingBlocked } from './queries/credits';
export { findProject, findProjectBySlug, lockProject } from './queries/projects';
