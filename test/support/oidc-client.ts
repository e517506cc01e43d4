import { createHash, randomBytes } from 'node:crypto';

/** A site that knows nothing but OpenID Connect. */
export interface OidcClient {
  client_id: string;
  client_secret: string;
  redirect_uri: string;
}

/** Where the site sends the browser, and what it keeps to redeem the code. */
export function authorizationRequest(apiUrl: string, client: OidcClient): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'state',
  });
  return { url: `${apiUrl}/oidc/auth?${query}`, verifier };
}

export interface OidcTokens {
  id_token: string;
  access_token: string;
}

/** Null if it is refused. */
export async function redeemCode(
  apiUrl: string,
  { client_id, client_secret, redirect_uri }: OidcClient,
  { code, verifier }: { code: string; verifier: string },
): Promise<OidcTokens | null> {
  const response = await fetch(`${apiUrl}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: verifier,
      client_id,
      client_secret,
    }),
    signal: AbortSignal.timeout(15_000),
  });
  return response.ok ? ((await response.json()) as OidcTokens) : null;
}
