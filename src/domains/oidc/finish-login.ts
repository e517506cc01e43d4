import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { consumeProviderSession, type SessionStarter } from '../login';
import { takeDeferredWrites, withDeferredWrites } from './deferred-writes';
import type { OidcProvider } from './library';
import { findLogin, type LoginState } from './queries/logins';

/** How the person proved who they are: with a second channel (RFC 8176). */
export const AMR = ['mca'];
const EXPIRED = 'The login expired.';

/** The session's workflow ends when its login is redeemed. */
export interface Redeeming {
  starter: Pick<SessionStarter, 'signalRedeemed'>;
}

const now = () => Math.floor(Date.now() / 1000);

/**
 * Gives the outcome of a session to the interaction that waits for it and returns where the browser goes on to. Null
 * while the session is pending, and once the provider has taken the outcome. Grant, outcome and the end of the session
 * are one transaction.
 */
export async function collectOutcome(
  { pool, provider, starter }: Pick<Core, 'pool'> & Redeeming & { provider: OidcProvider },
  sessionId: string,
): Promise<string | null> {
  const login = await findLogin(pool, sessionId);
  if (!login?.interaction || login.status === 'pending') return null;
  const interaction = await provider.Interaction.find(login.interaction);
  if (!interaction) return null;
  if (interaction.result !== undefined) return interaction.returnTo;
  const isSaved = await withDeferredWrites(pool, async () => {
    interaction.result = await resultOf(provider, login, interaction.params);
    await interaction.save(Math.max(1, interaction.exp - now()));
    return login.status !== 'confirmed' || consumeWithWrites({ pool, starter }, sessionId);
  });
  if (isSaved) return interaction.returnTo;
  const taken = await provider.Interaction.find(login.interaction);
  return taken?.result === undefined ? null : taken.returnTo;
}

/**
 * Consumes the session together with what has been deferred so far. False, with nothing written, if another request has
 * collected the outcome meanwhile: one Yes gives one grant, however many requests ask at the same moment.
 */
export async function consumeWithWrites(
  { pool, starter }: Pick<Core, 'pool'> & Redeeming,
  sessionId: string,
): Promise<boolean> {
  const writes = takeDeferredWrites();
  const isConsumed = await withTransaction(pool, async (db) => {
    if (!(await consumeProviderSession(db, sessionId))) return false;
    for (const write of writes) await write(db);
    return true;
  });
  if (isConsumed) starter.signalRedeemed(sessionId);
  return isConsumed;
}

async function resultOf(provider: OidcProvider, login: LoginState, params: Record<string, unknown>) {
  if (login.status === 'declined') {
    return { error: declinedCode(login), error_description: declined(login) };
  }
  if (login.status !== 'confirmed' || login.subscriber_id === null) {
    return { error: 'access_denied', error_description: EXPIRED };
  }
  const expected = subjectOf(params['id_token_hint']);
  if (expected !== null && expected !== login.subscriber_id) {
    return { error: 'login_required', error_description: 'Another person has logged in.' };
  }
  const grantId = await saveGrant(provider, {
    accountId: login.subscriber_id,
    clientId: String(params['client_id']),
    scope: String(params['scope'] ?? ''),
  });
  return {
    login: { accountId: login.subscriber_id, ts: login.auth_time, amr: AMR, remember: false },
    consent: { grantId },
    select_account: {},
  };
}

/** Whom the client expects. The provider has verified the hint's signature before the login began. */
function subjectOf(hint: unknown): string | null {
  if (typeof hint !== 'string') return null;
  const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString()) as {
    sub?: string;
  };
  return claims.sub ?? null;
}

export function declinedCode({ decline_reason }: Pick<LoginState, 'decline_reason'>): string {
  return decline_reason === 'billing_blocked' ? 'temporarily_unavailable' : 'access_denied';
}

export function declined({ decline_reason }: Pick<LoginState, 'decline_reason'>): string {
  return decline_reason === 'billing_blocked'
    ? 'Logins are temporarily unavailable.'
    : 'The user declined the login.';
}

/** The bot's question is the consent: everything that was asked for is granted. */
export function saveGrant(
  provider: OidcProvider,
  { accountId, clientId, scope }: { accountId: string; clientId: string; scope: string },
): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  return grant.save();
}
