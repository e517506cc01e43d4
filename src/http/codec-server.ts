import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AppError } from '../contract/errors';
import { sha256 } from '../lib/tokens';
import { readFormBody } from './form-body';
import { html, pageHead, type Html } from './html';
import { setHttpOnlyCookie } from './http-only-cookie';
import { readJsonBody } from './json-body';
import { validated } from './validate';

export interface CodecServerDeps {
  codec: PayloadCodec;
  token: string;
  /** The Temporal UI's URL: the only other origin that may call this server. */
  uiUrl: string | undefined;
}

const COOKIE = 'herald_codec';
const WEEK_MS = 7 * 24 * 3_600_000;

const wirePayloads = z.object({
  payloads: z.array(
    z.object({ metadata: z.record(z.string(), z.base64()).default({}), data: z.base64().default('') }),
  ),
});

/**
 * Temporal's remote codec: POST /encode and /decode. Programs authenticate with the token as a bearer token; the
 * Temporal UI with a cookie, which its user gets by entering the token on this server's page.
 */
export function codecServer({ codec, token, uiUrl }: CodecServerDeps): Middleware {
  const uiOrigin = uiUrl === undefined ? null : new URL(uiUrl).origin;
  const expected = sha256(token);
  const isToken = (given: string) => timingSafeEqual(sha256(given), expected);
  // Derived from the token, so that a stolen cookie does not reveal it.
  const cookieValue = createHmac('sha256', token).update('cookie').digest('base64url');

  function isAuthorized(ctx: Context): boolean {
    const bearer = /^Bearer (\S+)$/i.exec(ctx.get('authorization'))?.[1];
    if (bearer !== undefined) return isToken(bearer);
    const cookie = ctx.cookies.get(COOKIE);
    // Browsers attach cookies to requests of any page, so accept the cookie only from the UI's origin.
    return (
      cookie !== undefined &&
      timingSafeEqual(sha256(cookie), sha256(cookieValue)) &&
      ctx.get('origin') === uiOrigin
    );
  }

  return async (ctx, next) => {
    const operation = /^\/(encode|decode)$/.exec(ctx.path)?.[1] as 'encode' | 'decode' | undefined;
    if (operation) {
      ctx.state['routePattern'] = ctx.path;
      allowUi(ctx, uiOrigin);
      if (ctx.method === 'OPTIONS') return void (ctx.status = 204);
      if (ctx.method !== 'POST') throw new AppError('method_not_allowed');
      if (!isAuthorized(ctx)) {
        throw new AppError('unauthorized', 'Token missing or wrong. Send the token of the codec server.');
      }
      const { payloads } = validated(wirePayloads, await readJsonBody(ctx));
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { payloads: (await transform(codec, operation, payloads.map(fromWire))).map(toWire) };
      return;
    }
    if (ctx.path !== '/') return next();
    ctx.state['routePattern'] = '/';
    await signInPage(ctx, (given) => (isToken(given) ? cookieValue : null), uiUrl);
  };
}

async function transform(
  codec: PayloadCodec,
  operation: 'encode' | 'decode',
  payloads: Payload[],
): Promise<Payload[]> {
  try {
    return await codec[operation](payloads);
  } catch (error) {
    // An unknown key, or data that was not encrypted with our keys.
    throw new AppError('bad_request', 'The payload cannot be decrypted with the keys of this server.', {
      cause: error,
    });
  }
}

function allowUi(ctx: Context, uiOrigin: string | null): void {
  ctx.vary('Origin');
  if (uiOrigin === null || ctx.get('origin') !== uiOrigin) return;
  ctx.set('Access-Control-Allow-Origin', uiOrigin);
  ctx.set('Access-Control-Allow-Credentials', 'true');
  ctx.set('Access-Control-Allow-Methods', 'POST');
  ctx.set('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization');
}

async function signInPage(
  ctx: Context,
  cookieFor: (token: string) => string | null,
  uiUrl: string | undefined,
): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'html';
  let notice: Html | null = null;
  if (ctx.method === 'POST') {
    const given = (await readFormBody(ctx)).get('token') ?? '';
    const cookie = cookieFor(given);
    if (cookie !== null) {
      // The UI must be on the same site (the same host or the same registrable domain).
      setHttpOnlyCookie(ctx, ctx.secure || uiUrl?.startsWith('https:') ? 'https:' : 'http:', COOKIE, cookie, {
        sameSite: 'strict',
        path: '/',
        maxAge: WEEK_MS,
      });
      notice = html`<p role="status">
        The Temporal UI can now decrypt payloads in this browser for a week.
      </p>`;
    } else {
      ctx.status = 401;
      notice = html`<p role="alert">Wrong token. Try again.</p>`;
    }
  }
  ctx.body = html`<!doctype html>
    <html lang="en">
      <head>
        ${pageHead({ title: 'Codec server · Herald', style: null, noindex: true })}
      </head>
      <body>
        <h1>Codec server</h1>
        ${notice}
        <form method="post" action="/">
          <label>Token <input type="password" name="token" required autocomplete="current-password" /></label>
          <button>Sign in</button>
        </form>
      </body>
    </html>`.text;
}

type WirePayload = z.output<typeof wirePayloads>['payloads'][number];

/** Bytes are base64 on the wire. */
function fromWire({ metadata, data }: WirePayload): Payload {
  return {
    metadata: mapValues(metadata, (value) => Buffer.from(value, 'base64')),
    data: Buffer.from(data, 'base64'),
  };
}

function toWire({ metadata, data }: Payload): WirePayload {
  return {
    metadata: mapValues(metadata ?? {}, (value) => Buffer.from(value).toString('base64')),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}

function mapValues<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
