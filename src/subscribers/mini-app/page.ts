import type { Middleware } from 'koa';
import { html, pageHead } from '../../http/html';

/** The messengers' own web clients show a Mini App in a frame; no other site may. */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors https://web.telegram.org https://*.web.telegram.org https://web.max.ru https://max.ru',
].join('; ');

/** The Mini App: a page without data, whose script reads what the messenger has put into the address. */
export function miniAppPage(): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/mini' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/mini';
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'html';
    ctx.body = html`<!doctype html>
      <html lang="en">
        <head>
          ${pageHead({ title: 'Herald', style: '/assets/mini.css' })}
          <script type="module" src="/assets/mini.js"></script>
        </head>
        <body>
          <main id="mini">
            <p id="message" role="status"></p>
            <noscript>JavaScript is needed here.</noscript>
          </main>
        </body>
      </html>`.text;
    return undefined;
  };
}
