import type { Middleware } from 'koa';
import { startParameters } from '../contracts/auth';
import { channels } from '../contracts/common';
import { AppError } from '../contracts/errors';
import type { Core } from '../core';
import { html, page } from './docs/html';
import { requireHostedSession, takePage } from './hosted-session';

/** The hosted login page: links and QR codes that work without JavaScript. */
export function loginPage(core: Pick<Core, 'pool' | 'cipher' | 'messengers' | 'publicUrl'>): Middleware {
  return async (ctx, next) => {
    const token = /^\/login\/([0-9A-Za-z]{32})$/.exec(ctx.path)?.[1];
    if (!token || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/login/{token}';
    const session = await requireHostedSession(core.pool, token);
    if (!(await takePage(ctx, core, session))) throw new AppError('not_found');
    const start = startParameters.session(core.cipher.decrypt(session.start_sealed, 'start_token'));
    const offers = channels.flatMap((channel) => {
      const link = core.messengers.get(channel)?.link(start);
      return link ? [{ channel, link }] : [];
    });
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    ctx.body = page(
      `Log in to ${session.project_name}`,
      html`<h1>Log in to ${session.project_name}</h1>
        <p>Code: <strong>${session.match_code}</strong></p>
        ${offers.map(
          ({ channel, link }) =>
            html`<p>
              <a href="${link}">${channel}</a><br />
              <img
                src="/login/${token}/qr?channel=${channel}"
                alt="QR code for ${channel}"
                width="200"
                height="200"
              />
            </p>`,
        )}
        <p>Or send the bot: <code>/start ${start}</code></p>`,
    );
  };
}
