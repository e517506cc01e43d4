import type { Retention } from '../../../base/db/retention';

export const retention = (): Retention => ({
  // An hour later, so that a late device or client is still told that its code has expired.
  oidc_records: { age: 'expires_at', after: '1 hour' },
  oidc_logins: { with: 'auth_sessions' },
  oidc_client_secrets: { age: 'expires_at' },
  oidc_keys: { age: 'expires_at' },
  oidc_clients: { bounded: 'A project has at most 10.' },
});
