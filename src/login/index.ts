/** The public interface of this domain. */
export { openProviderSession, showProviderSession } from './provider-session';
export { consumeProviderSession, type HostedSession } from './queries/hosted';
export type { CollectOutcome } from './hosted-page';
export { loginDocument, messagePage } from './hosted-views';
export type { SessionStarter } from './workflow';
