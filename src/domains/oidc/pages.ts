import type { Context } from 'koa';
import { browserLanguage } from '../../base/http/browser-language';
import { UNAVAILABLE_RETRY_SECONDS } from '../../base/http/errors';
import { Html, html, pageHead } from '../../base/http/html';
import { isUnavailable } from '../../base/lib/unavailable';
import type { KoaContextWithOIDC } from './library';
import type { DeviceProblem } from './device';
import { LoginRefused } from './start-login';
import { oidcTexts, type OidcTexts } from './texts';

type PageContext = Context | KoaContextWithOIDC;

/** Where a device sends its user: a form for the code, with the problem of the last one. Works without a script. */
export function showCodeInput(ctx: Context, refused: DeviceProblem | null): void {
  const t = textsFor(ctx);
  const problem = refused && refused.problem;
  if (problem !== null) ctx.status = problem === 'unknown' ? 400 : problem === 'billing' ? 503 : 429;
  if (refused?.retryAfter) setRetryAfter(ctx, refused.retryAfter);
  show(
    ctx,
    t.deviceTitle,
    html`<h1>${t.deviceTitle}</h1>
      <p>${t.deviceText}</p>
      <form method="get" action="/oidc/device" class="user-code">
        <label>
          ${t.deviceLabel}
          <input
            name="user_code"
            required
            autofocus
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="20"
            placeholder="XXXX-XXXX"
          />
        </label>
        ${problem && html`<p class="notice" role="alert">${t.deviceProblems[problem]}</p>`}
        <button class="button" type="submit">${t.deviceButton}</button>
      </form>`,
  );
}

function setRetryAfter(ctx: PageContext, seconds: number): void {
  ctx.set('Retry-After', String(Math.max(1, Math.ceil(seconds))));
}

/** An error that must not be sent to the client, because its address is not known to be right. */
export function showError(
  ctx: KoaContextWithOIDC,
  out: { error: string; error_description?: string | undefined },
  error: unknown,
): void {
  const t = textsFor(ctx);
  if (isUnavailable(error)) {
    ctx.status = 503;
    setRetryAfter(ctx, UNAVAILABLE_RETRY_SECONDS);
  }
  if (error instanceof LoginRefused) setRetryAfter(ctx, error.retryAfter);
  const [title, text] = wordsFor(t, ctx, error);
  show(
    ctx,
    title,
    html`<h1>${title}</h1>
      <p>${text}</p>
      ${
        !(error instanceof LoginRefused) &&
        html`<details class="help">
          <summary>${t.details}</summary>
          <p class="hint"><code>${out.error}</code> ${out.error_description}</p>
          <p class="hint"><code>${String(ctx.state['requestId'] ?? '')}</code></p>
        </details>`
      }`,
  );
}

function wordsFor(t: OidcTexts, ctx: KoaContextWithOIDC, error: unknown): [title: string, text: string] {
  if (error instanceof LoginRefused) {
    return error.reason === 'busy' ? [t.busyTitle, t.busyText] : [t.tooManyTitle, t.tooManyText];
  }
  if (ctx.status >= 500) return [t.unavailableTitle, t.unavailableText];
  if ((error as { name?: unknown } | null)?.name === 'SessionNotFound') return [t.lateTitle, t.lateText];
  return [t.errorTitle, t.errorText];
}

/** `form` is the provider's, with its protection against forged requests; it has no button. */
export function showLogout(ctx: KoaContextWithOIDC, form: string): void {
  const t = textsFor(ctx);
  const target = ctx.oidc.params?.['post_logout_redirect_uri'];
  // Browsers apply the policy to the redirect after the form too.
  if (typeof target === 'string') allowFormTarget(ctx, new URL(target).origin);
  show(
    ctx,
    t.logoutTitle,
    html`<h1>${t.logoutTitle}</h1>
      <p>${t.logoutText}</p>
      ${new Html(form)}
      <p>
        <button class="button" type="submit" form="op.logoutForm" name="logout" value="yes">
          ${t.logoutButton}
        </button>
      </p>`,
  );
}

export function showLoggedOut(ctx: KoaContextWithOIDC): void {
  const t = textsFor(ctx);
  show(
    ctx,
    t.loggedOutTitle,
    html`<h1>${t.loggedOutTitle}</h1>
      <p>${t.loggedOutText}</p>`,
  );
}

/** For a form that leads to another site, in the form itself or by the redirect after it. */
export function allowFormTarget(ctx: PageContext, origin: string): void {
  const policy = ctx.response.get('content-security-policy');
  ctx.set('Content-Security-Policy', policy.replace("form-action 'self'", `form-action 'self' ${origin}`));
}

function textsFor(ctx: PageContext): OidcTexts {
  return oidcTexts[browserLanguage(ctx)];
}

function show(ctx: PageContext, title: string, content: Html): void {
  ctx.type = 'html';
  ctx.vary('Accept-Language');
  ctx.body = html`<!doctype html>
    <html lang="${browserLanguage(ctx)}">
      <head>
        ${pageHead({ title, style: '/assets/login.css', noindex: true })}
      </head>
      <body>
        <main class="card"><div class="outcome">${content}</div></main>
      </body>
    </html>`.text;
}
