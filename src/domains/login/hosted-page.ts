import type { Context, Middleware } from 'koa';
import { startParameter } from '../../base/contract/start-parameters';
import { channels, languages, type Language } from '../../base/contract/common';
import { nullIfNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { pageLanguage } from '../../base/http/hosted-document';
import { Html } from '../../base/http/html';
import type { HostedSession } from './queries/hosted';
import { viewSession } from './queries/status';
import { presentStatus } from './present';
import { isOwnBrowser, requireHostedSession, bindPage } from './hosted-session';
import { loginDocument, messagePage, waitingPage, type Offer, type PageQuery } from './hosted-views';
import { loginTexts } from './hosted-texts';
import { platforms } from '../bots';
import { logoPath, stylePath } from '../projects';
import { errorUrl } from './contract';
import { flows } from './flows';

/**
 * Collects the outcome of a session that the OpenID Connect provider started, and returns the browser's next address;
 * null while there is no outcome, and once it was collected. Registered by roles/api.ts.
 */
export type CollectOutcome = (session: HostedSession) => Promise<string | null>;

interface Deps extends Pick<Core, 'pool' | 'cipher' | 'messengers' | 'publicUrl'> {
  collectOutcome: CollectOutcome;
}

/**
 * The hosted login page. Its script waits by long poll; without JavaScript the page reloads itself, and links, QR codes
 * and the redirect back to the site work too.
 */
export function loginPage(core: Deps): Middleware {
  return async (ctx, next) => {
    const token = /^\/login\/([^/]+)$/.exec(ctx.path)?.[1];
    if (!token || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/login/{token}';
    ctx.set('Cache-Control', 'no-store');
    ctx.vary('Accept-Language');
    ctx.type = 'html';
    const lang = pageLanguage(ctx);
    const isToken = /^[0-9A-Za-z]{32}$/.test(token);
    const session = isToken ? await requireHostedSession(core.pool, token).catch(nullIfNotFound) : null;
    if (!session) return unknownLogin(ctx, lang);
    // Link previews send HEAD; they must not bind the page.
    const own = ctx.method === 'HEAD' ? isOwnBrowser(ctx, session) : await bindPage(ctx, core, session);
    if (!own) return openElsewhere(ctx, core, session, lang);
    const onward =
      isInteraction(session) && ctx.method !== 'HEAD' ? await core.collectOutcome(session) : null;
    if (onward !== null) {
      ctx.status = 303;
      return ctx.redirect(onward);
    }
    await showSession(ctx, core, session, token, lang);
  };
}

/** Whether the provider waits for this browser. A device asks for its outcome itself. */
function isInteraction({ flow, user_code }: HostedSession): boolean {
  return flows[flow].collector === 'provider' && user_code === null;
}

async function showSession(
  ctx: Context,
  core: Deps,
  session: HostedSession,
  token: string,
  lang: Language,
): Promise<void> {
  const t = loginTexts[lang];
  const view = await viewSession(core.pool, session.id);
  if (!view) return unknownLogin(ctx, lang);
  const status = presentStatus(view, core.cipher);
  // A popup passes the code to its opener by script; any other window is redirected to the site.
  if (status.status === 'confirmed' && status.redirect_url !== null && ctx.query['mode'] !== 'popup') {
    return ctx.redirect(status.redirect_url);
  }
  const start = startParameter(
    'session',
    core.cipher.decrypt(session.start_sealed, 'start_token', session.id),
  );
  const query = queryOf(ctx);
  const content = waitingPage({
    t,
    token,
    start,
    query,
    project: session.project_name,
    logo: session.logo_id && logoPath(session.logo_id),
    matchCode: session.match_code,
    offers: offersFor(core, session.project_id, start, lang),
    status: status.status,
    reason: status.status === 'declined' ? status.reason : null,
    expiresIn: status.expires_in,
    back:
      flows[session.flow].collector === 'provider' || view.return_base === null
        ? null
        : backTo(view.return_base, view.state),
    onward: isInteraction(session) ? 'reload' : null,
    userCode: session.user_code,
  });
  ctx.body = loginDocument({
    title: t.title(session.project_name),
    lang,
    content,
    refresh: status.status === 'pending' || status.status === 'confirmed',
    query,
    style: session.brand_color && stylePath(session.brand_color),
    privacyUrl: session.privacy_url,
  });
}

/** Where a login without a code returns to. The errors are those of OAuth. */
function backTo(base: string, state: string | null) {
  return {
    declined: errorUrl(base, { error: 'access_denied', state }),
    billing: errorUrl(base, { error: 'temporarily_unavailable', state }),
    expired: errorUrl(base, {
      error: 'access_denied',
      error_description: 'The login expired.',
      state,
    }),
  };
}

function queryOf(ctx: Context): PageQuery {
  return {
    mode: ctx.query['mode'] === 'popup' ? 'popup' : undefined,
    lang: languages.find((language) => language === ctx.query['lang']),
    qr: channels.find((channel) => channel === ctx.query['qr']),
  };
}

function offersFor({ messengers }: Deps, projectId: string, start: string, lang: Language): Offer[] {
  return platforms().flatMap(({ name: channel, label, mark }) => {
    const messenger = messengers.ofProject(projectId, channel);
    if (!messenger) return [];
    return [
      {
        channel,
        name: label[lang],
        mark: new Html(mark),
        bot: `@${messenger.botName}`,
        link: messenger.link(start),
        appLink: messenger.appLink(start),
      },
    ];
  });
}

/** The link leads to the site itself: this browser gets nothing of the login. */
async function openElsewhere(
  ctx: Context,
  core: Deps,
  session: HostedSession,
  lang: Language,
): Promise<void> {
  const t = loginTexts[lang];
  const site = (await viewSession(core.pool, session.id))?.return_base ?? null;
  ctx.status = 403;
  ctx.body = loginDocument({
    title: t.elsewhereTitle,
    lang,
    content: messagePage(t.elsewhereTitle, t.elsewhereText(session.project_name), {
      href: site && new URL(site).origin,
      text: t.back,
    }),
  });
}

function unknownLogin(ctx: Context, lang: Language): void {
  const t = loginTexts[lang];
  ctx.status = 404;
  ctx.body = loginDocument({
    title: t.unknownTitle,
    lang,
    content: messagePage(t.unknownTitle, t.unknownText),
  });
}
