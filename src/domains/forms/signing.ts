import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../../base/contract/durations';
import { limits } from '../../base/contract/limits';

/*
 * What a form signs with its own key: the token of a page, which says when the form was shown, and the link of a
 * subscriber. Both are checked without a query.
 */

function signature(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isSigned(key: string, text: string, given: string): boolean {
  const expected = Buffer.from(signature(key, text));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** `<issued at>.<signature>`. */
export function issueToken(key: string, now: number): string {
  const issued = Math.floor(now).toString(36);
  return `${issued}.${signature(key, `token ${issued}`)}`;
}

/** How long ago the token was issued; null if it is none of this form, or too old. */
export function tokenAge(key: string, token: unknown, now: number): number | null {
  const [, issued = '', signed = ''] =
    (typeof token === 'string' && /^([0-9a-z]{1,12})\.([A-Za-z0-9_-]{43})$/.exec(token)) || [];
  if (issued === '' || !isSigned(key, `token ${issued}`, signed)) return null;
  const age = now - parseInt(issued, 36);
  return age >= 0 && age <= limits.formTokenHours * HOUR_MS ? age : null;
}

/** `<subscriber>.<expires at>.<signature>`. */
export function signSubscriber(key: string, subscriberId: string, now: number): string {
  const expires = Math.floor(now + limits.formLinkDays * DAY_MS).toString(36);
  const text = `${subscriberId.replaceAll('-', '')}.${expires}`;
  return `${text}.${signature(key, `subscriber ${text}`)}`;
}

/** The subscriber whose link it is; null if it is none of this form, or has expired. */
export function signedSubscriber(key: string, given: unknown, now: number): string | null {
  const [, hex = '', expires = '', signed = ''] =
    (typeof given === 'string' && /^([0-9a-f]{32})\.([0-9a-z]{1,12})\.([A-Za-z0-9_-]{43})$/.exec(given)) ||
    [];
  if (hex === '' || !isSigned(key, `subscriber ${hex}.${expires}`, signed)) return null;
  return parseInt(expires, 36) > now ? dashed(hex) : null;
}

/** A UUID without its dashes, as in links. */
export const undashed = (id: string): string => id.replaceAll('-', '');

/** The UUID of 32 hexadecimal digits; null for other text. */
export function dashed(hex: string): string | null {
  return /^[0-9a-f]{32}$/i.test(hex)
    ? hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : null;
}
