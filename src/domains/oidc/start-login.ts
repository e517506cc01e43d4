import type { Context } from 'koa';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { onBehalfOf } from '../../base/db/project-share';
import { clientNetwork } from '../../base/http/client-network';
import {
  makeRoom,
  NO_ROOM_RETRY_SECONDS,
  openProviderSession,
  showProviderSession,
  type SessionStarter,
} from '../login';
import { isBillingBlocked, lockProject } from '../projects';
import { takeDeferredWrites } from './deferred-writes';
import { insertLogin, secondsUntilLoginFits } from './queries/logins';

export type StartLoginDeps = Pick<Core, 'pool' | 'config' | 'cipher' | 'log' | 'publicUrl'> & {
  starter: Pick<SessionStarter, 'start' | 'signalRedeemed'>;
};

interface LoginRequest {
  projectId: string;
  clientId: string;
  /** What waits for the login: an interaction of this browser, or a device. */
  waiting: { interaction: string } | { deviceHash: Buffer; userCode: string };
  /** The device that logs in, as the bot shows it. */
  device: { address: string; userAgent: string };
  /** How long the outcome can be collected; without it as long as any session. */
  maxSeconds?: number;
}

/** A login that does not begin. The person sees a page; the browser is not redirected. */
export class LoginRefused extends Error {
  // The provider shows errors with these fields as they are.
  readonly expose = true;
  readonly statusCode = 429;

  constructor(
    readonly reason: 'too_many' | 'busy',
    readonly retryAfter: number,
  ) {
    super('temporarily_unavailable');
    this.name = 'LoginRefused';
  }
}

export class BillingBlocked extends Error {}

/**
 * Begins a login for the provider: a session like any other, with its workflow and its hosted page, which belongs to the
 * browser of this request. Limits are checked under the project's row lock, so that they are exact. Returns the path of
 * the page.
 */
export async function startLogin(ctx: Context, deps: StartLoginDeps, request: LoginRequest): Promise<string> {
  const { projectId, clientId, waiting, device, maxSeconds = Infinity } = request;
  const address = clientNetwork(ctx.ip);
  const site = clientNetwork(ctx.ip, 48);
  // The interaction is stored with its login, and not at all if the login is refused.
  const writes = takeDeferredWrites();
  const open = async (db: Db) => {
    // One round trip: each statement begins after the one before it.
    const [, isBlocked, wait, full] = await Promise.all([
      lockProject(db, projectId),
      isBillingBlocked(db, projectId, deps.config.HERALD_GRACE_HOURS),
      secondsUntilLoginFits(db, projectId, address, limits.oidcLoginsPerAddressPerHour),
      makeRoom(db, projectId, site),
    ]);
    if (isBlocked) throw new BillingBlocked();
    if (wait > 0) throw new LoginRefused('too_many', wait);
    if (full === 'site') throw new LoginRefused('too_many', NO_ROOM_RETRY_SECONDS);
    if (full === 'project') throw new LoginRefused('busy', NO_ROOM_RETRY_SECONDS);
    const shown = {
      address: device.address,
      site,
      userAgent: device.userAgent.slice(0, limits.userAgentLength) || null,
      userCode: 'userCode' in waiting ? waiting.userCode : null,
    };
    const opened = openProviderSession(db, deps, projectId, shown, maxSeconds);
    const login = {
      session_id: opened.session.id,
      project_id: projectId,
      client_id: clientId,
      interaction: 'interaction' in waiting ? waiting.interaction : null,
      device_hash: 'deviceHash' in waiting ? waiting.deviceHash : null,
      address,
    };
    await Promise.all([opened.inserted, insertLogin(db, login), ...writes.map((write) => write(db))]);
    return opened.session;
  };
  const session = await onBehalfOf(projectId, () => withTransaction(deps.pool, open));
  return showProviderSession(ctx, deps, session);
}
