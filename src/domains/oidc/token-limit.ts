import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { createRateLimiter, retryAfterSeconds, type Count } from '../../base/http/rate-limiter';

/** The provider shows errors with these fields as they are. */
export class TooManyTokenRequests extends Error {
  readonly expose = true;
  readonly statusCode = 429;
  readonly error_description = 'Too many requests. Try again later.';

  constructor(readonly retryAfter: number) {
    super('temporarily_unavailable');
    this.name = 'TooManyTokenRequests';
  }
}

/** Counts requests of a client, before a token is used or a device code is stored. */
interface TokenLimit {
  countClient(clientId: string): Promise<void>;
  countGrant(grantId: string): Promise<void>;
  /** Counts a new device code. */
  countDeviceCode(clientId: string): Promise<void>;
}

export function createTokenLimit({ pool, config }: Pick<Core, 'pool' | 'config'>): TokenLimit {
  const perMinute = (name: string, points: number) => createRateLimiter(pool, { name, points, seconds: 60 });
  const clients = perMinute('oidc_client', config.HERALD_OIDC_CLIENT_REQUESTS_PER_MINUTE);
  const grants = perMinute('oidc_grant', config.HERALD_OIDC_GRANT_REQUESTS_PER_MINUTE);
  const deviceCodes = createRateLimiter(pool, {
    name: 'oidc_device_client',
    points: limits.oidcDeviceCodesPerClient,
    seconds: limits.oidcDeviceCodeMinutes * 60,
  });
  const counted = async (count: Count, key: string) => {
    const result = await count(key);
    if (!result.allowed) throw new TooManyTokenRequests(retryAfterSeconds(result));
  };
  return {
    countClient: (clientId) => counted(clients, clientId),
    countGrant: (grantId) => counted(grants, grantId),
    countDeviceCode: (clientId) => counted(deviceCodes, clientId),
  };
}
