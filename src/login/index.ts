/** The public interface of this domain. */
export { createSession } from './create-session';
export { consumeLogin, expireSessions } from './queries/decisions';
export { bindBrowser, findBoundBrowser } from './queries/hosted';
export { OWN_SESSIONS } from './queries/personal-data';
export { viewSession } from './queries/status';
export type { SessionWaiter } from './session-waiter';
export { openProviderSession, showProviderSession } from './provider-session';
export { consumeProviderSession } from './queries/hosted';
export type { CollectOutcome } from './hosted-page';
export type { SessionStarter } from './workflow';
