import type pg from 'pg';
import { isUuid } from '../../base/contract/ids';
import { findSubscriber, type SubscriberRecord } from '../subscribers';

/** Claims of each scope. E-mail and phone are not known. */
export const claimsOfScopes = {
  openid: ['sub', 'auth_time', 'amr', 'sid'],
  profile: ['name', 'given_name', 'preferred_username', 'locale', 'channel'],
};

/** The subscriber as an account of the provider; undefined once removed, or in another project. */
export async function findAccount(pool: pg.Pool, projectId: string | undefined, sub: string) {
  const found = projectId !== undefined && isUuid(sub) ? await findSubscriber(pool, projectId, sub) : null;
  if (!found) return undefined;
  return { accountId: found.id, claims: () => claimsOf(found) };
}

function claimsOf(subscriber: SubscriberRecord) {
  return {
    sub: subscriber.id,
    name: subscriber.first_name,
    given_name: subscriber.first_name,
    ...(subscriber.username === null ? {} : { preferred_username: subscriber.username }),
    locale: subscriber.lang,
    channel: subscriber.channel,
  };
}
