import { AppError } from '../../base/contract/errors';
import type { Cipher } from '../../base/lib/cipher';
import type { OwnHeaders } from './contract';

/*
 * The headers that a project adds to its deliveries. Their values are secrets: sealed in the database, and shown as a
 * mask everywhere.
 */

export const endpointHeadersPurpose = 'endpoint_headers';

/** What stands for a value that is never shown again. */
export const MASK = '***';

export function sealHeaders(cipher: Cipher, headers: OwnHeaders, endpointId: string): string | null {
  if (Object.keys(headers).length === 0) return null;
  return cipher.encrypt(JSON.stringify(headers), endpointHeadersPurpose, endpointId);
}

export function openHeaders(cipher: Cipher, sealed: string | null, endpointId: string): OwnHeaders {
  if (sealed === null) return {};
  return JSON.parse(cipher.decrypt(sealed, endpointHeadersPurpose, endpointId)) as OwnHeaders;
}

export function maskHeaders(headers: OwnHeaders): OwnHeaders {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
}

/**
 * The headers after a change: those that were given, and no others. A mask stands for the stored value, so that a client
 * can send back what it has read.
 */
export function replaceHeaders(given: OwnHeaders, stored: OwnHeaders): OwnHeaders {
  const byName = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== MASK) return [name, value];
      const kept = byName.get(name.toLowerCase());
      if (kept === undefined) {
        throw new AppError(
          'validation_failed',
          `headers.${name}: there is no stored value for this host that ${MASK} could stand for`,
        );
      }
      return [name, kept];
    }),
  );
}
