import type pg from 'pg';
import { AppError, orNotFound } from '../../base/contract/errors';
import { isUuid } from '../../base/contract/ids';
import type { Cipher } from '../../base/lib/cipher';
import { signingPurpose } from './forms';
import { findOpenForm, type OpenFormRow } from './queries/forms';
import { issueToken, signedSubscriber, tokenAge } from './signing';

/** A form that takes submissions. */
export interface OpenForm extends OpenFormRow {
  /** A token that says when the form was shown. */
  token(): string;
  /** How long ago a token was issued, in milliseconds; null if it is none of this form, or too old. */
  ageOf(token: unknown): number | null;
  /** The subscriber whose signed link this is; null if it is none of this form, or has expired. */
  subscriberOf(signed: unknown): string | null;
}

export interface OpenForms {
  /** Throws `not_found` unless the form takes submissions. */
  (id: string): Promise<OpenForm>;
  /** Whether the next request for it needs no query. */
  remembers(id: string): boolean;
  /** The form has changed: the next request reads it. */
  forget(id: string): void;
}

/** How long a form is remembered: a change made by another process takes effect within a second. */
const FRESH_MS = 1_000;
const REMEMBERED = 1_000;

/**
 * Reads forms for requests without a key. Each is read at most once a second, however many requests there are, so that a
 * flood of submissions to one form costs the database nothing.
 */
export function createOpenForms({ pool, cipher }: { pool: pg.Pool; cipher: Cipher }): OpenForms {
  const remembered = new Map<string, { readAt: number; form: Promise<OpenForm | null> }>();

  async function read(id: string): Promise<OpenForm | null> {
    const found = await findOpenForm(pool, id);
    if (!found) return null;
    const key = cipher.decrypt(found.signing_sealed, signingPurpose, found.id);
    // Times are those of the database's clock.
    const offset = found.now.getTime() - performance.now();
    const time = () => performance.now() + offset;
    return {
      ...found,
      token: () => issueToken(key, time()),
      ageOf: (token) => tokenAge(key, token, time()),
      subscriberOf: (signed) => signedSubscriber(key, signed, time()),
    };
  }

  async function open(given: string): Promise<OpenForm> {
    const id = given.toLowerCase();
    if (!isUuid(id)) throw new AppError('not_found');
    const now = performance.now();
    let entry = remembered.get(id);
    if (!entry || now - entry.readAt > FRESH_MS) {
      const reading = { readAt: now, form: read(id) };
      entry = reading;
      // The oldest goes first: a map keeps the order of insertion.
      remembered.delete(id);
      remembered.set(id, entry);
      if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      reading.form.catch(() => remembered.get(id) === reading && remembered.delete(id));
    }
    return orNotFound(await entry.form);
  }

  return Object.assign(open, {
    remembers: (id: string) => remembered.has(id.toLowerCase()),
    forget: (id: string) => void remembered.delete(id.toLowerCase()),
  });
}
