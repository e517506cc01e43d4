import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context, Middleware } from 'koa';
import { packageRoot } from '../lib/package-root';

const built = path.join(packageRoot, 'dist', 'web');
const ASSET = /^\/assets\/([a-z0-9-]+\.(?:js|css|svg))$/;

/**
 * What `npm run build` made of web/: scripts, styles, the icon, the embeddable button and the dashboard's shell. They
 * are kept in memory, except in development, where a rebuilt page must show on the next reload.
 */
export function webFiles({ development }: { development: boolean }): Middleware {
  const serve = createServing({ keep: !development });
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const asset = ASSET.exec(ctx.path)?.[1] ?? (ctx.path === '/docs/docs.css' ? 'docs.css' : undefined);
    if (asset) return (await serve(ctx, asset, '/assets/{file}')) ? undefined : next();
    if (ctx.path === '/favicon.ico') return void (await serve(ctx, 'icon.svg', ctx.path));
    if (ctx.path === '/embed.js') {
      // Other sites load it by a script tag; it holds nothing of anybody.
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
      return void (await serve(ctx, 'embed.js', ctx.path));
    }
    if (isDashboardPage(ctx)) return void (await serve(ctx, 'dashboard.html', '/dashboard'));
    if (ctx.path === '/') return ctx.redirect('/dashboard');
    return next();
  };
}

/** Any page of the dashboard has the same shell; /dashboard/session is the API's. */
function isDashboardPage(ctx: Context): boolean {
  return /^\/dashboard(\/(?!session$)[a-z0-9/-]*)?$/.test(ctx.path);
}

interface Held {
  body: Buffer;
  etag: string;
}

function createServing({ keep }: { keep: boolean }) {
  const held = new Map<string, Promise<Held>>();
  const read = (name: string) => {
    const known = held.get(name);
    if (known) return known;
    const file = readFile(path.join(built, name)).then((body) => ({
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    }));
    if (keep) held.set(name, file);
    // A file that is not there yet may be there later.
    file.catch(() => held.delete(name));
    return file;
  };

  /** Answers false where there is no such file. */
  return async (ctx: Context, name: string, routePattern: string): Promise<boolean> => {
    const file = await read(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return false;
    ctx.state['routePattern'] = routePattern;
    ctx.type = path.extname(name);
    // Names stay the same from version to version: a browser asks each time and mostly hears 304.
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('ETag', file.etag);
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = file.body;
    return true;
  };
}
