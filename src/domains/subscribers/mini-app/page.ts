import { withVersion } from '../../../base/http/asset-version';
import type { Middleware } from 'koa';
import { platforms } from '../../bots';
import { html, pageHead } from '../../../base/http/html';
import { contentPolicy } from '../../../base/http/security-headers';

/**
 * The Mini App: a page without data, whose script reads what the messenger has put into the address. `data-launch` says in
 * which field each messenger does so.
 */
export function miniAppPage(): Middleware {
  const miniApps = platforms().flatMap(({ name, miniApp }) => (miniApp ? [{ name, ...miniApp }] : []));
  // The messengers' own web clients show a Mini App in a frame; no other site may.
  const frameAncestors = miniApps.flatMap((app) => app.frameAncestors).join(' ');
  const policy = contentPolicy({ formAction: "'none'", frameAncestors });
  const launchFields = miniApps.map(({ name, launchField }) => [launchField, name]);
  return (ctx, next) => {
    if (ctx.path !== '/mini' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/mini';
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'html';
    ctx.body = html`<!doctype html>
      <html lang="en">
        <head>
          ${pageHead({ title: 'Herald', style: '/assets/mini.css' })}
          <script type="module" src="${withVersion('/assets/mini.js')}"></script>
        </head>
        <body>
          <main id="mini" data-launch="${JSON.stringify(launchFields)}">
            <p id="message" role="status"></p>
            <noscript>JavaScript is needed here.</noscript>
          </main>
        </body>
      </html>`.text;
    return undefined;
  };
}
