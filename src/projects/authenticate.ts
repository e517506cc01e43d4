import type pg from 'pg';
import { AppError } from '../contract/errors';
import type { Authenticate } from '../http/guard';
import { sha256 } from '../lib/tokens';
import { findProjectByKey, touchApiKey } from './queries/keys';
import type { KeyedProject } from './contract';
import type { Logger } from '../lib/log';

/** A change of key or project must take effect everywhere within a second; this leaves room for the query. */
const CACHE_MS = 500;
const CACHE_ENTRIES = 10_000;
const TOUCH_MS = 60_000;

interface CacheEntry {
  project: Promise<KeyedProject | null>;
  until: number;
}

/** Bearer authentication with a cache of half a second in front of the database. */
export function createBearerAuthentication({ pool, log }: { pool: pg.Pool; log: Logger }): Authenticate {
  const cache = new Map<string, CacheEntry>();
  const touched = new Map<string, number>();

  function lookUp(key: string): Promise<KeyedProject | null> {
    const hash = sha256(key);
    const id = hash.toString('base64');
    const now = Date.now();
    const known = cache.get(id);
    if (known && known.until > now) return known.project;
    const project = findProjectByKey(pool, hash);
    // A failure must not be remembered: the next request asks again.
    project.catch(() => cache.delete(id));
    cache.delete(id);
    cache.set(id, { project, until: now + CACHE_MS });
    if (cache.size > CACHE_ENTRIES) cache.delete(cache.keys().next().value as string);
    return project;
  }

  function noteUse(keyId: string): void {
    const now = Date.now();
    if ((touched.get(keyId) ?? 0) > now - TOUCH_MS) return;
    touched.set(keyId, now);
    touchApiKey(pool, keyId).catch((err: unknown) =>
      log.warn({ err }, 'the last-used time of an API key was not saved'),
    );
  }

  return async (ctx) => {
    const match = /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'));
    if (!match?.[1]) throw new AppError('unauthorized');
    const project = await lookUp(match[1]);
    if (!project) throw new AppError('invalid_api_key');
    if (!project.active) throw new AppError('project_inactive');
    noteUse(project.key_id);
    return project;
  };
}
