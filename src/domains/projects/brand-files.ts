import type { Middleware } from 'koa';
import type pg from 'pg';
import { inkOn } from '../../base/contract/color';
import { findLogo } from './queries/brands';

const LOGO = /^\/brand\/logo\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const STYLE = /^\/brand\/([0-9a-f]{6})\.css$/;
const DAY_SECONDS = 24 * 3_600;

/** The logos of projects, and style sheets with their colours. */
export function brandFiles({ pool }: { pool: pg.Pool }): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const color = STYLE.exec(ctx.path)?.[1];
    if (color) {
      ctx.state['routePattern'] = '/brand/{color}.css';
      ctx.set('Cache-Control', `public, max-age=${DAY_SECONDS}`);
      ctx.type = 'css';
      ctx.body = `:root { --brand: #${color}; --brand-ink: ${inkOn(`#${color}`)}; }\n`;
      return;
    }
    const logoId = LOGO.exec(ctx.path)?.[1];
    const logo = logoId ? await findLogo(pool, logoId) : null;
    if (!logo) return next();
    ctx.state['routePattern'] = '/brand/logo/{id}';
    ctx.set('Cache-Control', `public, max-age=${DAY_SECONDS}`);
    // Opened by itself, the file of a project can do nothing on this origin.
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
    ctx.set('Content-Type', logo.type);
    ctx.body = logo.data;
  };
}
