import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context, Middleware } from 'koa';
import type { Core } from '../core';
import type { Language } from '../contract/common';
import { browserLanguage } from './browser-language';
import { demoTexts } from './demo-texts';
import { demoViews } from './demo-views';
import { paymentPage, paymentStatus, rememberUser, type CallApi } from './demo-payment';
import { readFormBody } from './form-body';
import { setHttpOnlyCookie } from './http-only-cookie';

const STATE_COOKIE = 'herald_demo_state';
const LANGUAGE_COOKIE = 'herald_demo_language';
const SESSION_ID = /^[0-9a-f-]{36}$/;

type Deps = Pick<Core, 'config' | 'publicUrl'>;
type Result<T> = { ok: true; body: T } | { ok: false; error: string };

interface CreatedSession {
  session_id: string;
  hosted_url: string;
  qr_url: string;
  match_code: string;
}

/**
 * The demo project's site, in development only. It uses each of the three login flows through the API with the demo
 * key, as a project's backend would.
 */
export function demoPages(core: Deps): Middleware {
  const pages: Record<string, (ctx: Context) => Promise<string | object>> = {
    'GET /demo': (ctx) => landing(ctx, core),
    'GET /demo/session': async (ctx) => {
      const session = await newSession(ctx, core);
      if (!session.ok) return viewsFor(ctx).errorPage(session.error);
      ctx.redirect(session.body.hosted_url);
      return '';
    },
    'GET /demo/qr': async (ctx) => {
      const session = await newSession(ctx, core);
      const views = viewsFor(ctx);
      return session.ok ? views.qrPage(session.body) : views.errorPage(session.error);
    },
    'GET /demo/status': (ctx) => sessionStatus(ctx, core),
    'GET /demo/callback': async (ctx) =>
      typeof ctx.query['error'] === 'string'
        ? viewsFor(ctx).refusedPage(ctx.query['error'])
        : viewsFor(ctx).callbackPage(codeParameter(ctx), checkState(ctx), core.publicUrl()),
    'POST /demo/verify': (ctx) => verify(ctx, core),
    'POST /demo/payment': (ctx) => paymentPage(ctx, apiOf(ctx, core), languageOf(ctx)),
    'GET /demo/payment/status': (ctx) => paymentStatus(ctx, apiOf(ctx, core)),
    'GET /demo/embed': async (ctx) => viewsFor(ctx).embedPage(core.publicUrl()),
    'POST /demo/embed/session': async (ctx) => {
      const session = await newSession(ctx, core);
      return session.ok ? { hosted_url: session.body.hosted_url } : { error: session.error };
    },
  };
  return async (ctx, next) => {
    const found = pages[`${ctx.method} ${ctx.path}`];
    if (!found) return next();
    ctx.state['routePattern'] = ctx.path;
    const publicUrl = new URL(core.publicUrl());
    // Cookies are bound to a host name: localhost and 127.0.0.1 differ.
    if (ctx.method === 'GET' && ctx.host !== publicUrl.host) return ctx.redirect(publicUrl.origin + ctx.url);
    ctx.set('Cache-Control', 'no-store');
    const body = await found(ctx);
    if (body === '') return;
    if (typeof body === 'string') ctx.type = 'html';
    ctx.body = body;
  };
}

/** The language of the link that was followed, also on an earlier page; otherwise that of the browser. */
function languageOf(ctx: Context): Language {
  for (const chosen of [ctx.query['lang'], ctx.cookies.get(LANGUAGE_COOKIE)]) {
    if (chosen === 'en' || chosen === 'ru') return chosen;
  }
  return browserLanguage(ctx);
}

const viewsFor = (ctx: Context) => demoViews(languageOf(ctx));

async function landing(ctx: Context, core: Deps): Promise<string> {
  if (ctx.query['lang'] !== undefined) {
    const attributes = { sameSite: 'lax', path: '/demo' } as const;
    setHttpOnlyCookie(ctx, core.publicUrl(), LANGUAGE_COOKIE, languageOf(ctx), attributes);
  }
  const links = await callApi<{ telegram_link: string | null; max_link: string | null }>(
    ctx,
    core,
    'GET',
    '/v1/auth/link',
  );
  return links.ok ? viewsFor(ctx).demoPage(links.body) : viewsFor(ctx).errorPage(links.error);
}

async function newSession(ctx: Context, core: Deps): Promise<Result<CreatedSession>> {
  const state = randomBytes(16).toString('hex');
  setHttpOnlyCookie(ctx, core.publicUrl(), STATE_COOKIE, state, { sameSite: 'lax', path: '/demo' });
  return callApi(ctx, core, 'POST', '/v1/auth/session', {
    state,
    redirect_uri: `${core.publicUrl()}/demo/callback`,
    client_ip: ctx.ip,
    ...(ctx.get('user-agent') ? { user_agent: ctx.get('user-agent').slice(0, 200) } : {}),
  });
}

/** The QR page polls this. The backend keeps the code and redirects to the same callback page as the other flows. */
async function sessionStatus(ctx: Context, core: Deps): Promise<object> {
  const id = ctx.query['id'];
  if (typeof id !== 'string' || !SESSION_ID.test(id)) return { status: 'expired' };
  const poll = await callApi<{ status: string; redirect_url?: string | null }>(
    ctx,
    core,
    'GET',
    `/v1/auth/session/${id}/status?wait=20`,
  );
  if (!poll.ok) return { status: 'error', error: poll.error };
  return { status: poll.body.status, redirect_url: poll.body.redirect_url ?? null };
}

async function verify(ctx: Context, core: Deps): Promise<string | object> {
  const code = (await readFormBody(ctx)).get('code') ?? '';
  const user = await callApi<Record<string, unknown>>(ctx, core, 'POST', '/v1/auth/verify', { code });
  if (user.ok) rememberUser(ctx, core.publicUrl(), user.body['subscriber_id']);
  if (ctx.accepts('html', 'json') === 'json') return user.ok ? user.body : { error: user.error };
  return user.ok ? viewsFor(ctx).userPage(user.body) : viewsFor(ctx).errorPage(user.error);
}

/** Whether this browser started the login. A static link has no state to compare. */
function checkState(ctx: Context): { state: string | null; matches: boolean } {
  const state = ctx.query['state'];
  if (typeof state !== 'string') return { state: null, matches: true };
  return { state, matches: state === ctx.cookies.get(STATE_COOKIE) };
}

/** Restricted to safe characters, because users copy the command into their shell. */
function codeParameter(ctx: Context): string | null {
  const { code } = ctx.query;
  return typeof code === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(code) ? code : null;
}

function apiOf(ctx: Context, core: Deps): CallApi {
  return (method, route, body) => callApi(ctx, core, method, route, body);
}

/** Calls the API with the demo key. */
async function callApi<T>(
  ctx: Context,
  core: Deps,
  method: string,
  route: string,
  body?: unknown,
): Promise<Result<T>> {
  const t = demoTexts[languageOf(ctx)];
  const key = await readFile(path.join(core.config.HERALD_DATA_DIR, 'demo-api-key'), 'utf8').catch(
    () => null,
  );
  if (key === null) return { ok: false, error: t.noProject };
  const response = await fetch(core.publicUrl() + route, {
    method,
    headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const payload = (await response.json()) as T & { error?: string };
  return response.ok ? { ok: true, body: payload } : { ok: false, error: payload.error ?? t.unexpected };
}
