import { setTimeout as sleep } from 'node:timers/promises';
import { openCookieBrowser } from '../../support/cookie-browser';
import { authorizationRequest, redeemCode, type OidcClient } from '../../support/oidc-client';
import type { Domain, DomainContext } from './domain';

const CALLBACK = 'https://shop.example/callback';
const PATIENCE_MS = 25_000;

/** A whole login of a site that knows nothing but OpenID Connect, whose code is redeemed twice at once. */
export async function openIdLogins({ api, apiUrl, control }: DomainContext): Promise<Domain> {
  const created = await api.insist('POST', '/v1/oidc/clients', { name: 'Shop', redirect_uris: [CALLBACK] });
  if (created?.status !== 201) throw new Error(`no client: ${JSON.stringify(created)}`);
  const client: OidcClient = {
    client_id: String(created.body['client_id']),
    client_secret: String(created.body['client_secret']),
    redirect_uri: CALLBACK,
  };
  const seen = { begun: 0, tokens: 0, twice: 0, wrongPerson: 0 };
  const subjects = new Set<string>();
  return {
    name: 'openid',
    pauseMs: 2_000,
    async use(turn) {
      const browser = openCookieBrowser();
      const { url, verifier } = authorizationRequest(apiUrl, client);
      const authorization = await browser.get(url);
      if (!authorization.location) return;
      const page = await browser.get(authorization.location);
      const start = /start=([\w-]+)/.exec(page.text)?.[1];
      if (start === undefined) return;
      seen.begun += 1;
      const user = String(500_000_000 + turn);
      await control.open('telegram', user, { start, first_name: 'Openid' });
      const end = Date.now() + PATIENCE_MS;
      const asks = async () =>
        (await control.chat('telegram', user)).messages.some(({ buttons }) => buttons.length > 0);
      while (!(await asks())) {
        if (Date.now() > end) return;
        await sleep(300);
      }
      await control.tap('telegram', user, { button: 0 });
      let next = page.url;
      while (next.startsWith(apiUrl)) {
        if (Date.now() > end) return;
        const shown = await browser.get(next).catch(() => null);
        if (shown?.location) next = shown.location;
        else await sleep(300);
      }
      const code = new URL(next).searchParams.get('code');
      if (code === null) return;
      const redeem = () => redeemCode(apiUrl, client, { code, verifier }).catch(() => null);
      const tokens = (await Promise.all([redeem(), redeem()])).filter((token) => token !== null);
      if (tokens.length > 1) seen.twice += 1;
      const [token] = tokens;
      if (!token) return;
      seen.tokens += 1;
      const claims = JSON.parse(
        Buffer.from(token.id_token.split('.')[1] ?? '', 'base64url').toString('utf8'),
      ) as { sub: string };
      if (subjects.has(claims.sub)) seen.wrongPerson += 1;
      subjects.add(claims.sub);
    },
    finish: () => Promise.resolve(),
    unsettled: () => Promise.resolve([]),
    check: () =>
      Promise.resolve([
        {
          invariant: 'no code of OpenID Connect is redeemed twice, and each login is one person',
          holds: seen.twice === 0 && seen.wrongPerson === 0,
          detail: `${seen.begun} begun, ${seen.tokens} with tokens, ${seen.twice} twice, ${seen.wrongPerson} as another person`,
        },
      ]),
  };
}
