/** The public interface of this domain. */
export { expireSessions } from './queries/decisions';
export { OWN_SESSIONS } from './queries/personal-data';
export { openProviderSession, showProviderSession } from './provider-session';
export { makeRoom, NO_ROOM_RETRY_SECONDS } from './room';
export { consumeProviderSession } from './queries/hosted';
export type { CollectOutcome } from './hosted-page';
export type { SessionStarter } from './workflow-client';
