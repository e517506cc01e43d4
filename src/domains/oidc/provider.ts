import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { sha256 } from '../../base/lib/tokens';
import { findAccount, claimsOfScopes } from './accounts';
import { createAdapter, DEVICE_GRANT, extraClientFields } from './adapter';
import { takeDeferredWrites } from './deferred-writes';
import { settleDevice, userCodes } from './device';
import type { SigningKey } from './keys';
import type { Configuration, KoaContextWithOIDC, OidcLibrary, OidcProvider } from './library';
import { showError, showLoggedOut, showLogout } from './pages';
import { BillingBlocked, startLogin, type StartLoginDeps } from './start-login';
import { createTokenLimit, TooManyTokenRequests } from './token-limit';

export type ProviderDeps = StartLoginDeps & Pick<Core, 'pool' | 'config' | 'log' | 'publicUrl'>;

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** A browser that returns late still learns the outcome. */
const LATE_SECONDS = HOUR;

/** Where the provider is mounted; part of the issuer. */
export const MOUNT = '/oidc';

export function issuerOf(publicUrl: string): string {
  return `${publicUrl}${MOUNT}`;
}

/** Fields of a client that presentClient adds. */
interface OwnClientFields {
  herald_project_id?: string;
  herald_secret_hashes?: string[];
}

/** One provider serves all projects. It holds its keys for life: other keys need another provider. */
export function createProvider(deps: ProviderDeps, library: OidcLibrary, keys: SigningKey[]): OidcProvider {
  const { errors, interactionPolicy, Provider } = library;
  const { pool, config, publicUrl } = deps;
  const https = publicUrl().startsWith('https:');
  const { Check, Prompt } = interactionPolicy;

  /** Without it the login would cost a credit and grant nothing, so the user is not asked. */
  function requireOpenid(ctx: KoaContextWithOIDC): void {
    if (ctx.oidc.requestParamScopes.has('openid')) return;
    // The interaction is not stored.
    takeDeferredWrites();
    throw new errors.InvalidScope('the scope openid is needed', String(ctx.oidc.params?.['scope'] ?? ''));
  }

  /** Starts the login that the browser's interaction waits for. */
  async function interactionUrl(ctx: KoaContextWithOIDC, interaction: { uid: string }) {
    const client = ctx.oidc.client as NonNullable<typeof ctx.oidc.client> & OwnClientFields;
    requireOpenid(ctx);
    try {
      return await startLogin(ctx as unknown as Context, deps, {
        projectId: client.herald_project_id ?? '',
        clientId: client.clientId,
        waiting: { interaction: interaction.uid },
        device: { address: ctx.ip, userAgent: ctx.get('user-agent') },
      });
    } catch (error) {
      if (!(error instanceof BillingBlocked)) throw error;
      throw new errors.TemporarilyUnavailable('Logins are temporarily unavailable.');
    }
  }

  const tokenLimit = createTokenLimit(deps);
  const counted = async (count: Promise<void>) => {
    try {
      await count;
    } catch (error) {
      if (error instanceof TooManyTokenRequests) Provider.ctx?.set('Retry-After', String(error.retryAfter));
      throw error;
    }
  };

  const adapterDeps = {
    db: pool,
    beforeToken: () => counted(tokenLimit.countClient(Provider.ctx?.oidc.client?.clientId ?? '')),
    beforeDeviceCode: (clientId: string) => counted(tokenLimit.countDeviceCode(clientId)),
    beforeGrant: (grantId: string) => counted(tokenLimit.countGrant(grantId)),
    beforeDevice: (id: string) => settleDevice({ pool, library, provider, starter: deps.starter }, id),
  };

  const configuration: Configuration = {
    adapter: (model: string) => createAdapter(model, adapterDeps),
    jwks: { keys: keys as never },
    findAccount: (ctx, sub) =>
      findAccount(pool, (ctx.oidc.client as OwnClientFields | undefined)?.herald_project_id, sub),
    claims: claimsOfScopes,
    // Most clients read the profile from the ID token and never ask for more.
    conformIdTokenClaims: false,
    scopes: ['openid', 'offline_access', 'profile'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    extraClientMetadata: { properties: extraClientFields },
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    // Tokens end by themselves, by a logout or with the subscriber, not with a cookie.
    expiresWithSession: async () => false,
    clientBasedCORS: (_ctx, origin, client) =>
      client.redirectUris?.some((uri) => new URL(uri).origin === origin) ?? false,
    cookies: {
      names: {
        session: 'herald_oidc_session',
        interaction: 'herald_oidc_interaction',
        resume: 'herald_oidc_resume',
      },
      long: { httpOnly: true, sameSite: 'lax', secure: https, path: MOUNT, signed: false },
      short: { httpOnly: true, sameSite: 'lax', secure: https, signed: false },
    },
    interactions: {
      // Every authorization asks in the messenger. Its Yes resolves whichever prompts a client names.
      policy: [
        new Prompt(
          { name: 'login', requestable: true },
          new Check('no_session', 'The user has to log in.', 'login_required', (ctx) => {
            if (ctx.oidc.result?.login === undefined) return Check.REQUEST_PROMPT;
            nameGrant(ctx);
            return Check.NO_NEED_TO_PROMPT;
          }),
        ),
        new Prompt({ name: 'consent', requestable: true }),
        new Prompt({ name: 'select_account', requestable: true }),
      ],
      url: interactionUrl,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      userinfo: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => showLogout(ctx, form),
        postLogoutSuccessSource: async (ctx) => showLoggedOut(ctx),
      },
      deviceFlow: {
        enabled: true,
        ...userCodes,
        deviceInfo: (ctx) => {
          requireOpenid(ctx);
          return { ip: ctx.ip, ua: ctx.get('user-agent') };
        },
      },
    },
    ttl: {
      AccessToken: limits.oidcAccessTokenHours * HOUR,
      AuthorizationCode: limits.oidcCodeSeconds,
      DeviceCode: limits.oidcDeviceCodeMinutes * 60,
      // Long enough for the access token; a refresh token extends it.
      Grant: limits.oidcAccessTokenHours * HOUR + limits.oidcDeviceCodeMinutes * 60,
      IdToken: limits.oidcAccessTokenHours * HOUR,
      Interaction: config.HERALD_SESSION_TTL_SECONDS + config.HERALD_CODE_TTL_SECONDS + LATE_SECONDS,
      RefreshToken: limits.oidcRefreshTokenDays * DAY,
      // Only for a logout without an ID token.
      Session: DAY,
    },
    renderError: async (ctx, out, error) => showError(ctx, out, error),
  };

  const provider = new Provider(issuerOf(publicUrl()), configuration);
  compareSecretsByHash(provider);
  useIssuerInUrls(provider);
  nameUnauthorizedClients(library, provider);
  provider.on('device_authorization.success', (_ctx, response: { interval?: number }) => {
    response.interval = limits.oidcDevicePollSeconds;
  });
  // An ID token names its grant, so that a logout with it ends this grant and no other.
  (provider.Client.prototype as unknown as { includeSid(): boolean }).includeSid = () => true;
  provider.on('server_error', (_ctx, err) => deps.log.error({ err }, 'request of OpenID Connect failed'));
  provider.on('authorization.success', (ctx) => {
    // A logout without an ID token ends the grant too.
    const session = ctx.oidc.session as unknown as {
      authorizationFor(id: string): { persistsLogout?: boolean };
    };
    delete session.authorizationFor(ctx.oidc.client?.clientId ?? '').persistsLogout;
  });
  return provider;
}

/** `sid` of the ID token is the id of the grant. */
function nameGrant(ctx: KoaContextWithOIDC): void {
  const grantId = ctx.oidc.result?.consent?.grantId;
  if (grantId && ctx.oidc.client) ctx.oidc.session?.sidFor(ctx.oidc.client.clientId, grantId);
}

/** A client has one secret, and for a day after a rotation the one before. All are compared, each in constant time. */
function compareSecretsByHash(provider: OidcProvider): void {
  const client = provider.Client.prototype as unknown as OwnClientFields & {
    compareClientSecret(actual: string): boolean;
  };
  client.compareClientSecret = function (this: OwnClientFields, actual) {
    const given = sha256(actual);
    const hashes = this.herald_secret_hashes ?? [];
    return hashes.map((hash) => timingSafeEqual(given, Buffer.from(hash, 'hex'))).includes(true);
  };
}

/**
 * A grant type that the client does not have is `unauthorized_client` (RFC 6749, 5.2). The library returns `invalid_request`.
 */
function nameUnauthorizedClients({ errors, Provider }: OidcLibrary, provider: OidcProvider): void {
  const client = provider.Client.prototype as unknown as { grantTypeAllowed(type: string): boolean };
  const { grantTypeAllowed } = client;
  client.grantTypeAllowed = function (type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    if (!isAllowed && type === requestedGrant(Provider.ctx?.oidc)) {
      throw new errors.UnauthorizedClient(`${type} is not allowed for this client`);
    }
    return isAllowed;
  };
}

function requestedGrant(oidc: KoaContextWithOIDC['oidc'] | undefined): unknown {
  if (oidc?.route === 'device_authorization') return DEVICE_GRANT;
  return oidc?.route === 'token' ? oidc.params?.['grant_type'] : undefined;
}

/** URLs follow the public URL. The library would build them from the Host header, which a proxy may change. */
function useIssuerInUrls(provider: OidcProvider): void {
  const contexts = (provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext;
  Object.defineProperty(contexts.prototype, 'urlFor', {
    value: (name: string, options?: object) => provider.urlFor(name, options as never),
  });
}
