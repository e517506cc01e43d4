import { randomInt } from 'node:crypto';
import type { Configuration } from 'openid-client' with { 'resolution-mode': 'import' };
import { openCookieBrowser, type CookieBrowser, type Page } from '../../support/cookie-browser';
import type { Installation, TestProject } from '../../support/installation';
import { openAndWait, waitForStatus } from '../login/fixture';

export const CALLBACK = 'http://localhost:4000/callback';
export const AFTER_LOGOUT = 'http://localhost:4000/bye';

export interface CreatedClient {
  client_id: string;
  client_secret: string | null;
  issuer: string;
}

export async function createClient(
  project: TestProject,
  body: Record<string, unknown> = {},
): Promise<CreatedClient> {
  const response = await project.api<CreatedClient>('POST', '/v1/oidc/clients', {
    name: 'Shop',
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: [AFTER_LOGOUT],
    ...body,
  });
  if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

/** A relying party that openid-client runs. */
export async function discover(client: CreatedClient): Promise<Configuration> {
  const oidc = await import('openid-client');
  return oidc.discovery(
    new URL(client.issuer),
    client.client_id,
    client.client_secret ?? undefined,
    client.client_secret === null ? oidc.None() : undefined,
    { execute: [oidc.allowInsecureRequests] },
  );
}

export interface Attempt {
  browser: CookieBrowser;
  url: string;
  verifier: string;
  state: string;
  nonce: string;
}

/** A request for authorization with PKCE, state and nonce. */
export async function newAttempt(
  config: Configuration,
  parameters: Record<string, string> = {},
): Promise<Attempt> {
  const oidc = await import('openid-client');
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { browser: openCookieBrowser(), url: url.href, verifier, state, nonce };
}

/** Opens the authorization request up to the hosted page. */
export async function openLogin(browser: CookieBrowser, url: string): Promise<Page> {
  const authorization = await browser.get(url);
  if (authorization.status !== 303 || !authorization.location) {
    throw new Error(`${authorization.status} ${authorization.text}`);
  }
  return browser.get(authorization.location);
}

/** What follows `start=` in the bot link of a hosted page. */
export function startOnPage({ text }: Page): string {
  return /start=([\w-]+)/.exec(text)?.[1] ?? '';
}

/** The session of the hosted page that was opened last: the files of a jest worker run one after another. */
export async function newestSession(service: Installation): Promise<string> {
  const { rows } = await service.pool.query<{ session_id: string }>(
    'SELECT session_id FROM oidc_logins ORDER BY created_at DESC LIMIT 1',
  );
  return rows[0]?.session_id ?? '';
}

export const newUser = () => randomInt(1_000_000, 2_000_000_000);

/** Answers the question of a hosted page as a user of Telegram. */
export async function answer(
  service: Installation,
  page: Page,
  { user = newUser(), button = 0 }: { user?: number; button?: 0 | 1 } = {},
): Promise<void> {
  const session = await newestSession(service);
  await openAndWait(service, 'telegram', user, startOnPage(page), { username: 'anna_k' });
  await service.control.tap('telegram', user, { button });
  await waitForStatus(service, session, button === 0 ? 'confirmed' : 'declined');
}

/** Follows redirects of the service and returns the address outside of it. */
export async function followOut(service: Installation, browser: CookieBrowser, url: string): Promise<URL> {
  let next = url;
  for (let step = 0; step < 5; step += 1) {
    if (!next.startsWith(service.url)) return new URL(next);
    const page = await browser.get(next);
    if (page.location === null) throw new Error(`no redirect: ${page.status} ${page.text}`);
    next = page.location;
  }
  throw new Error('too many redirects');
}

/** A whole login; returns the address that the browser returns to. */
export async function logIn(
  service: Installation,
  { browser, url }: Pick<Attempt, 'browser' | 'url'>,
  options: { user?: number; button?: 0 | 1 } = {},
): Promise<URL> {
  const page = await openLogin(browser, url);
  await answer(service, page, options);
  return followOut(service, browser, page.url);
}

/** A whole login up to the tokens. */
export async function tokensOf(
  service: Installation,
  config: Configuration,
  { user, ...parameters }: { user?: number; scope?: string } = {},
) {
  const oidc = await import('openid-client');
  const attempt = await newAttempt(config, parameters);
  const callback = await logIn(service, attempt, user === undefined ? {} : { user });
  const tokens = await oidc.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: attempt.verifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
  });
  return { tokens, attempt, callback };
}

/** Posts to the token endpoint like a client that does not use a library. */
export async function postToken(
  service: Installation,
  client: CreatedClient,
  form: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: client.client_id,
      ...(client.client_secret === null ? {} : { client_secret: client.client_secret }),
      ...form,
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
