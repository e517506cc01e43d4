import { isIP } from 'node:net';
import { limits } from '../contract/limits';
import { forbiddenRange, type LocalPolicy } from './forbidden-ranges';
import { isLocalhostName, type Lookup, systemLookup } from './lookup';

export type { LocalPolicy } from './forbidden-ranges';

/** Suffixes that are never public, and the names of cloud metadata services. */
const privateSuffixes = ['local', 'localdomain', 'internal', 'intranet', 'lan', 'home.arpa'];
const privateRanges = new Set(['private', 'linkLocal', 'uniqueLocal', 'loopback', 'carrierGradeNat']);
const metadataNames = new Set(['metadata', 'metadata.goog', 'instance-data']);

export type VettedUrl = { ok: true; url: URL } | { ok: false; why: string };

/** Checks a URL by its text alone, without DNS; `why` completes "The URL …". */
export function vetUrl(text: string, policy: LocalPolicy): VettedUrl {
  if (text.length > limits.urlLength) return refused(`can have up to ${limits.urlLength} characters`);
  // The URL parser would silently drop or convert these, so the URL shown would differ from the URL dialled.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) {
    return refused('must not contain spaces, control characters or \\');
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return refused('must be an absolute https URL');
  if (authority.includes('@')) return refused('must not contain a username or password');
  if (text.includes('#')) return refused('must not contain a fragment');

  const url = new URL(text);
  const host = hostOf(url);
  const why = forbiddenHost(host, policy);
  if (why !== null) return refused(why);
  if (url.protocol === 'http:' && !(policy.allowLocal && isLoopbackHost(host))) {
    return refused('must use https');
  }
  return { ok: true, url };
}

/**
 * Checks the host's DNS addresses when a URL is saved. A name that does not resolve is accepted, because it may be set
 * up later and is checked again when dialled; a name with any forbidden address is refused.
 */
export async function resolveAndVet(
  hostname: string,
  policy: LocalPolicy,
  lookup: Lookup = systemLookup,
): Promise<{ ok: true } | { ok: false; why: string }> {
  try {
    await vettedAddresses(hostname, policy, lookup);
    return { ok: true };
  } catch (error) {
    if (error instanceof ForbiddenAddressError) return refused(error.message);
    return { ok: true };
  }
}

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

export class LookupError extends Error {
  override readonly name = 'LookupError';
}

/**
 * Resolves a host and checks all its addresses. One private address among public ones refuses the name, because its DNS
 * server controls which one is used.
 */
export async function vettedAddresses(
  hostname: string,
  policy: LocalPolicy,
  lookup: Lookup,
): Promise<string[]> {
  const host = bareHost(hostname);
  const why = forbiddenHost(host, policy);
  if (why !== null) throw new ForbiddenAddressError(why);
  if (isIP(host) !== 0) return [host];

  const addresses = await lookup(host).catch((error: unknown) => {
    throw new LookupError(`${host} does not resolve (${codeOf(error)})`);
  });
  if (addresses.length === 0) throw new LookupError(`${host} has no address`);
  for (const address of addresses) {
    const range = forbiddenRange(address, policy);
    if (range !== null) {
      // Not the address: it would tell the caller about the network that Herald runs in.
      throw new ForbiddenAddressError(`points to ${network(range)}`);
    }
  }
  return addresses;
}

function forbiddenHost(host: string, policy: LocalPolicy): string | null {
  if (isIP(host) !== 0) {
    const range = forbiddenRange(host, policy);
    return range === null ? null : `points to ${network(range)}`;
  }
  if (host.split('.').includes('')) return 'must have a valid host name';
  if (isLocalhostName(host)) return policy.allowLocal ? null : 'must not point to this machine';
  return metadataNames.has(host) || hasPrivateSuffix(host) ? `has the private host name ${host}` : null;
}

/** `linkLocal` → `a private network (link-local)`. */
function network(range: string): string {
  const kind = privateRanges.has(range) ? 'private' : 'reserved';
  return `a ${kind} network (${range.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)})`;
}

function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 0) return isLocalhostName(host);
  return forbiddenRange(host, { allowLocal: false }) === 'loopback';
}

/**
 * Whether a host is in a private network or on this machine, judged by its name or address without DNS. A name without a dot
 * belongs to a private network.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname);
  if (isIP(host) !== 0) return privateRanges.has(forbiddenRange(host, { allowLocal: false }) ?? '');
  return !host.includes('.') || isLocalhostName(host) || hasPrivateSuffix(host);
}

function hasPrivateSuffix(host: string): boolean {
  return privateSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** The host of a URL, without brackets and the final dot. */
export function hostOf(url: URL): string {
  return bareHost(url.hostname);
}

/** `[::1]` → `::1`; `localhost.` → `localhost` (the final dot only marks a fully qualified name). */
function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'lookup failed';
}

function refused(why: string): { ok: false; why: string } {
  return { ok: false, why };
}
