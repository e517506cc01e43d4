import type { Context } from 'koa';
import { limits } from '../../base/contract/limits';
import { clientNetwork } from '../../base/http/client-network';
import { createRateLimiter } from '../../base/http/rate-limiter';
import type { Core } from '../../base/core';
import { sha256 } from '../../base/lib/tokens';
import { withDeferredWrites, writeDeferred } from './deferred-writes';
import { AMR, consumeWithWrites, declined, declinedCode, saveGrant, type Redeeming } from './finish-login';
import type { OidcLibrary, OidcProvider } from './library';
import { findDecidedDeviceLogin } from './queries/logins';
import { findActiveClient } from './queries/clients';
import { countDevicePoll, findDeviceByUserCode, findRecord, saveRecord } from './queries/records';
import { BillingBlocked, LoginRefused, startLogin, type StartLoginDeps } from './start-login';

/** Capital letters without vowels: no words, and nothing that looks like a digit. */
export const userCodes = { charset: 'base-20', mask: '****-****' } as const;

/** The code as the provider stores it. */
function normalizedUserCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

export interface DeviceProblem {
  problem: 'unknown' | 'too_many' | 'busy' | 'billing';
  /** In seconds; null if the user needs another code. */
  retryAfter: number | null;
}
type DeviceLogin = { path: string } | DeviceProblem;

/** Credits come back with a pack or the next month, at a time that Herald does not know. */
const BILLING_RETRY_SECONDS = 3_600;

/**
 * Begins the login for a device whose code a person has opened. The bot shows the device that asks, not the browser
 * with this page: that is what the person has to recognise. Each opening is a login of its own, because link previews
 * open links too; the first answer counts.
 */
export function createDeviceLogins(deps: StartLoginDeps) {
  // A code has 20^8 values, and guesses are limited besides (RFC 8628, 5.1).
  const count = createRateLimiter(deps.pool, {
    name: 'oidc_user_code',
    points: limits.oidcUserCodesPerHour,
    seconds: 3_600,
  });

  return async (ctx: Context, userCode: string): Promise<DeviceLogin> => {
    const counted = await count(clientNetwork(ctx.ip));
    if (!counted.allowed) return { problem: 'too_many', retryAfter: counted.msBeforeNext / 1_000 };
    const code = normalizedUserCode(userCode);
    const device = await findDeviceByUserCode(deps.pool, code);
    const client = await findActiveClient(deps.pool, String(device?.payload['clientId'] ?? NO_CLIENT));
    if (!device || !client?.device || device.expired || device.consumed || device.payload['accountId']) {
      return { problem: 'unknown', retryAfter: null };
    }
    const info = (device.payload['deviceInfo'] ?? {}) as { ip?: string; ua?: string };
    try {
      const path = await startLogin(ctx, deps, {
        projectId: client.project_id,
        clientId: client.id,
        waiting: { deviceHash: device.id_hash, userCode: `${code.slice(0, 4)}-${code.slice(4)}` },
        device: { address: info.ip ?? ctx.ip, userAgent: info.ua ?? '' },
        // A later Yes would cost a credit and never reach the device.
        maxSeconds: Math.max(1, Math.floor(Number(device.payload['exp']) - Date.now() / 1000)),
      });
      return { path };
    } catch (error) {
      if (error instanceof LoginRefused) return { problem: error.reason, retryAfter: error.retryAfter };
      if (error instanceof BillingBlocked) return { problem: 'billing', retryAfter: BILLING_RETRY_SECONDS };
      throw error;
    }
  };
}

const NO_CLIENT = '00000000-0000-0000-0000-000000000000';

/**
 * Runs before the provider reads a device code: refuses a poll that comes too early, and records the outcome of the
 * login. So the device gets its tokens even if the page was closed. Grant, outcome and the end of the session are one
 * transaction.
 */
export async function settleDevice(
  {
    pool,
    library,
    provider,
    starter,
  }: Pick<Core, 'pool'> & Redeeming & { library: OidcLibrary; provider: OidcProvider },
  id: string,
): Promise<void> {
  const idHash = sha256(id);
  const record = await findRecord(pool, 'DeviceCode', idHash);
  if (!record || record.consumed) return;
  if (!(await countDevicePoll(pool, idHash, limits.oidcDevicePollSeconds))) {
    throw new library.errors.SlowDown();
  }
  const { payload } = record;
  const expiresIn = Number(payload['exp']) - Date.now() / 1000;
  if (payload['accountId'] || payload['error'] || expiresIn <= 0) return;
  const login = await findDecidedDeviceLogin(pool, idHash);
  if (!login) return;
  const accountId = login.status === 'declined' ? null : login.subscriber_id;
  // Of its own: the provider reads the grant later in the same request.
  await withDeferredWrites(pool, async () => {
    const outcome =
      accountId === null
        ? { error: declinedCode(login), errorDescription: declined(login) }
        : await approvedBy(provider, payload, { accountId, authTime: login.auth_time });
    const decided = {
      model: 'DeviceCode',
      idHash,
      payload: { ...payload, ...outcome },
      grantId: 'grantId' in outcome ? outcome.grantId : null,
      accountId,
      userCode: String(payload['userCode']),
      expiresIn,
    };
    await writeDeferred(pool, (db) => saveRecord(db, decided));
    if (accountId !== null) await consumeWithWrites({ pool, starter }, login.session_id);
  });
}

async function approvedBy(
  provider: OidcProvider,
  payload: Record<string, unknown>,
  { accountId, authTime }: { accountId: string; authTime: number },
) {
  const scope = String((payload['params'] as { scope?: string } | undefined)?.scope ?? '');
  const grantId = await saveGrant(provider, { accountId, clientId: String(payload['clientId']), scope });
  return { accountId, authTime, amr: AMR, scope, grantId, sid: grantId };
}
