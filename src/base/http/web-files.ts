import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context, Middleware } from 'koa';
import { buildDir, keepVersions, versionOf, withVersions } from './asset-version';
import { encoded } from './encoded-file';

const ASSET = /^\/assets\/([\w-]+(?:\.[\w-]+)*\.(?:js|css|svg))$/;

export interface WebFilesOptions {
  development: boolean;
  /** Whether the browser sent the cookie of a sign-in, which scripts cannot read. */
  hasSession: (ctx: Context) => boolean;
}

/** A part of a page that is loaded later: its name changes with its content. */
const HASHED = /-[0-9a-f]{8}\.js$/;

/** On the root element of the dashboard: there is no sign-in to ask for, and the question would be logged as an error. */
const SIGNED_OUT = 'data-signed-out';

/**
 * Serves the build output of web/: scripts, styles, the icon, the embeddable button and the dashboard's shell. Files are
 * cached in memory, except in development, where a rebuilt page must show on the next reload.
 */
export function webFiles({ development, hasSession }: WebFilesOptions): Middleware {
  if (!development) keepVersions();
  const serve = createFileServer({ useCache: !development });
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const asset = ASSET.exec(ctx.path)?.[1] ?? (ctx.path === '/docs/docs.css' ? 'docs.css' : undefined);
    if (asset) return (await serve(ctx, asset, '/assets/{file}')) ? undefined : next();
    if (ctx.path === '/favicon.ico') return void (await serve(ctx, 'icon.svg', ctx.path));
    if (ctx.path === '/embed.js') {
      // Other sites load it with a script tag; it contains no private data.
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
      return void (await serve(ctx, 'embed.js', ctx.path));
    }
    if (isDashboardPage(ctx)) {
      showPictures(ctx);
      ctx.vary('Cookie');
      ctx.vary('Sec-Fetch-Site');
      const isSignedOut = !hasSession(ctx) && CARRY_COOKIE.includes(ctx.get('sec-fetch-site'));
      return void (await serve(ctx, 'dashboard.html', '/dashboard', isSignedOut ? signedOut : asBuilt));
    }
    return next();
  };
}

function asBuilt(page: Buffer): Buffer {
  return Buffer.from(withVersions(page.toString('utf8')));
}

function signedOut(page: Buffer): Buffer {
  return Buffer.from(withVersions(page.toString('utf8')).replace('<html', `<html ${SIGNED_OUT}`));
}

/** Requests that would have the session's cookie. One that follows a link on another site has none, signed in or not. */
const CARRY_COOKIE = ['none', 'same-origin'];

/** The preview of a message shows its photo from the address that was typed. */
function showPictures(ctx: Context): void {
  const policy = ctx.response.get('content-security-policy');
  ctx.set('Content-Security-Policy', policy.replace(/img-src [^;]*/, '$& https:'));
}

/** All dashboard pages share one shell; sessions, sign-ins by messenger, messengers and new projects belong to the API. */
function isDashboardPage(ctx: Context): boolean {
  return /^\/dashboard(\/(?!(?:sessions?|projects|login|messengers)(?:\/|$))[A-Za-z0-9_/-]*)?$/.test(
    ctx.path,
  );
}

/** A form of a file that depends on the request. Kept by its name. */
type Change = (content: Buffer) => Buffer;

interface CachedFile {
  body: Buffer;
  etag: string;
  /** Of the file as it was read: a build under a running service changes what is on the disk. */
  version: string;
}

function createFileServer({ useCache }: { useCache: boolean }) {
  const cache = new Map<string, Promise<CachedFile>>();
  const read = (name: string, change?: Change) => {
    const key = change ? `${name} ${change.name}` : name;
    const cached = cache.get(key);
    if (cached) return cached;
    const file = readFile(path.join(buildDir, name)).then((content) => {
      const body = change ? change(content) : content;
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      return { body, etag, version: versionOf(content) };
    });
    if (useCache) cache.set(key, file);
    // Do not cache a failed read: the file may be built later.
    file.catch(() => cache.delete(key));
    return file;
  };

  /** Returns false if there is no such file. */
  return async (ctx: Context, name: string, routePattern: string, change?: Change): Promise<boolean> => {
    const file = await read(name, change).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return false;
    ctx.state['routePattern'] = routePattern;
    ctx.type = path.extname(name);
    // Without a version in its address, a browser asks each time and mostly gets 304.
    const isForever = HASHED.test(name) || ctx.query['v'] === file.version;
    ctx.set('Cache-Control', isForever ? 'public, max-age=31536000, immutable' : 'no-cache');
    const { body, encoding } = await encoded(ctx, file);
    if (encoding) ctx.set('Content-Encoding', encoding);
    ctx.set('ETag', encoding ? file.etag.replace(/"$/, `-${encoding}"`) : file.etag);
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = body;
    return true;
  };
}
