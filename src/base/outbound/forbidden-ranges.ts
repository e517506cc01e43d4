import { isIP } from 'node:net';
import { IPv4, IPv6, parse } from 'ipaddr.js';

export interface LocalPolicy {
  /** Development only: allows loopback. All other forbidden ranges stay forbidden. */
  allowLocal: boolean;
}

/** In a public range, but served by the cloud provider's metadata service (Azure). */
const metadataAddresses = new Set(['168.63.129.16']);

/** The range that forbids dialling this address; null if it is allowed. */
export function forbiddenRange(address: string, { allowLocal }: LocalPolicy): string | null {
  // A zone ("fe80::1%eth0") is only meaningful on a local link.
  if (isIP(address) === 0 || address.includes('%')) return 'not an address';
  const range = rangeOf(parse(address));
  if (range === 'loopback' && allowLocal) return null;
  return range === 'unicast' ? null : range;
}

function rangeOf(address: IPv4 | IPv6): string {
  if (address instanceof IPv4) return rangeOfIPv4(address);
  // The kernel dials a mapped address as IPv4, so check it as IPv4.
  if (address.isIPv4MappedAddress()) return rangeOfIPv4(address.toIPv4Address());
  const range = address.range();
  if (range !== 'unicast') return range;
  // Only 2000::/3 is public; this also excludes IPv4-compatible ::a.b.c.d.
  if (!address.match(new IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3)) return 'reserved';
  if (isIsatap(address)) return 'isatap';
  return 'unicast';
}

function rangeOfIPv4(address: IPv4): string {
  return metadataAddresses.has(address.toString()) ? 'metadata' : address.range();
}

/** ISATAP: an interface id of [02]00:5efe:a.b.c.d tunnels to the IPv4 address inside it. */
function isIsatap(address: IPv6): boolean {
  const [, , , , high, marker] = address.parts;
  return marker === 0x5efe && (high === 0 || high === 0x200);
}
