import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readPacked } from '../packed-file';

/** For each release: the API that its clients know, and a data directory. `npm run release` adds one; none is changed later. */
export const releasesDir = path.join(__dirname, '..', '..', 'released');

export const releases = existsSync(releasesDir) ? readdirSync(releasesDir).sort() : [];

/** What is in the data directory of a release: one thing of each kind, which has begun and not ended. */
export interface ReleaseFacts {
  recorded_at: string;
  api_key: string;
  subscriber_id: string;
  /** Of a login that was confirmed and not redeemed. */
  code: string;
  endpoint: { id: string; secret: string };
  /** Waits for its second attempt. */
  delivery_id: string;
  pending: { session_id: string; start: string };
  /** A broadcast of one message a minute. */
  job_id: string;
  /** Due a minute after the record. */
  scheduled_id: string;
  recurring_id: string;
  /** With one person in it, who waits for a minute. */
  drip_id: string;
  ticket_id: string;
  form_id: string;
}

export function factsOf(release: string): ReleaseFacts {
  return JSON.parse(readFileSync(path.join(releasesDir, release, 'facts.json'), 'utf8')) as ReleaseFacts;
}

/** One of the packed files of a release. */
export function unpacked(release: string, file: 'openapi.json.br' | 'data.tar.br'): Buffer {
  return readPacked(path.join(releasesDir, release, file));
}
