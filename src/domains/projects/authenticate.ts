import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import type { Authenticate } from '../../base/http/guard';
import type { Logger } from '../../base/lib/log';
import { sha256 } from '../../base/lib/tokens';
import type { Caller } from '../../base/http/route';
import { findProjectByKey, recordKeyUse } from './queries/keys';

/** A change of a key or project must take effect everywhere within a second, query time included. */
const CACHE_MS = 500;
const CACHE_ENTRIES = 10_000;
const RECORD_USE_MS = 60_000;

type FoundByKey = Caller & { key_id: string };

interface CacheEntry {
  project: Promise<FoundByKey | null>;
  until: number;
}

/** Bearer authentication with a half-second cache in front of the database. */
export function createBearerAuthentication({ pool, log }: { pool: pg.Pool; log: Logger }): Authenticate {
  const cache = new Map<string, CacheEntry>();
  const lastRecorded = new Map<string, number>();

  function lookUp(key: string): Promise<FoundByKey | null> {
    const hash = sha256(key);
    const id = hash.toString('base64');
    const now = Date.now();
    const cached = cache.get(id);
    if (cached && cached.until > now) return cached.project;
    const project = findProjectByKey(pool, hash);
    // Do not cache a failed query.
    project.catch(() => cache.delete(id));
    cache.delete(id);
    cache.set(id, { project, until: now + CACHE_MS });
    if (cache.size > CACHE_ENTRIES) cache.delete(cache.keys().next().value as string);
    return project;
  }

  function recordUse(keyId: string): void {
    const now = Date.now();
    if ((lastRecorded.get(keyId) ?? 0) > now - RECORD_USE_MS) return;
    lastRecorded.set(keyId, now);
    recordKeyUse(pool, keyId).catch((err: unknown) =>
      log.warn({ err }, 'the last-used time of an API key was not saved'),
    );
  }

  return async (ctx) => {
    const match = /^Bearer +(\S.*)$/i.exec(ctx.get('authorization'));
    if (!match?.[1]) throw new AppError('unauthorized');
    const project = await lookUp(match[1].trimEnd());
    if (!project) throw new AppError('invalid_api_key');
    if (project.active) recordUse(project.key_id);
    return project;
  };
}
