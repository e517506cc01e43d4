/** The public interface of this domain. */
export { chargeLogin } from './charge-login';
export { isBillingBlocked } from './queries/credits';
export { findProject, findProjectBySlug, lockProject } from './queries/projects';
export { logoPath, stylePath } from './brand-paths';
