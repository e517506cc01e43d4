import type { ClientType } from './contract';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why a client may not use this redirect URI, or null. It is stored and compared character by character. */
export function forbiddenRedirectUri(
  text: string,
  { type, development }: { type: ClientType; development: boolean },
): string | null {
  // A browser would drop or convert these, so the address that is compared would not be the one that is opened.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'must not contain spaces, control characters or \\';
  const authority = /^https?:\/\/([^/?#]+)/.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return 'must be an absolute https URL';
  if (authority.includes('@')) return 'must not contain a username or password';
  if (text.includes('#')) return 'must not contain a fragment';
  const { protocol, hostname } = new URL(text);
  if (hostname.includes('*')) return 'must name one host: a * is not a pattern here';
  if (protocol === 'https:') return null;
  if (!loopbackHosts.has(hostname)) return 'must use https';
  return type === 'public' || development ? null : 'must use https: http on loopback is for public clients';
}
