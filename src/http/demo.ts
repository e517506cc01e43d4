import type { Middleware } from 'koa';
import { html, page } from './docs/html';

/**
 * Where the demo project's users return to after a login. In development only: a project has a page of its own, which
 * hands the code to its backend and never shows it.
 */
export function demoCallbackPage(): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/demo/callback' || ctx.method !== 'GET') return next();
    ctx.state['routePattern'] = ctx.path;
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    const { code, state } = ctx.query;
    ctx.body = isCode(code) ? codePage(code, state, ctx.origin) : emptyPage();
  };
}

/** Nothing else is shown in a command that people copy into their shell. */
function isCode(value: string | string[] | undefined): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(value);
}

function emptyPage(): string {
  return page(
    'Demo callback',
    html`<h1>Demo callback</h1>
      <p>
        This address was opened without a code. A login that is confirmed in the messenger leads here with
        one.
      </p>`,
  );
}

function codePage(code: string, state: string | string[] | undefined, origin: string): string {
  const command = [
    `curl -X POST ${origin}/v1/auth/verify \\`,
    "  -H 'Authorization: Bearer <API_KEY>' -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ code })}'`,
  ].join('\n');
  return page(
    'Demo callback',
    html`<h1>Logged in</h1>
      <p>The demo project got this one-time code. It can be used once and lives 300 seconds.</p>
      <pre id="code">${code}</pre>
      ${
        state === null
          ? ''
          : html`<p>The project's own state came back with it:</p>
              <pre id="state">${state}</pre>`
      }
      <p>The project's backend now exchanges it for the user:</p>
      <pre>${command}</pre>`,
  );
}
