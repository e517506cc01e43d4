/** The public interface of this domain. */
export { createSession } from './create-session';
export { consumeLogin } from './queries/decisions';
export { bindBrowser, findBoundBrowser } from './queries/hosted';
export { viewSession } from './queries/status';
export type { SessionWaiter } from './session-waiter';
export type { SessionStarter } from './workflow';
