import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Handler } from './http';

const FILES: Record<string, [file: string, type: string]> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/telegram': ['chat.html', 'text/html; charset=utf-8'],
  '/max': ['chat.html', 'text/html; charset=utf-8'],
  '/assets/simulator.css': ['simulator.css', 'text/css; charset=utf-8'],
  '/assets/chat.js': ['chat.js', 'text/javascript; charset=utf-8'],
  '/assets/texts.js': ['texts.js', 'text/javascript; charset=utf-8'],
  '/assets/messages.js': ['messages.js', 'text/javascript; charset=utf-8'],
  '/assets/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/** Finds the package root, whether this file runs from src/ or dist/. */
function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above the simulator');
    folder = parent;
  }
  return folder;
}

/** Serves the simulator's page. It loads nothing from other sites. */
export function createPage(): Handler {
  const folder = join(packageRoot(), 'web', 'simulator');
  return async ({ method, path, res }) => {
    const [file, type] = FILES[path] ?? [];
    if (!file || !type || (method !== 'GET' && method !== 'HEAD')) return false;
    const content = await readFile(join(folder, file));
    res.writeHead(200, {
      'content-type': type,
      'content-length': content.length,
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    res.end(method === 'HEAD' ? undefined : content);
    return true;
  };
}
