import { isIP } from 'node:net';
import { IPv4, IPv6, parse } from 'ipaddr.js';

export interface LocalPolicy {
  /** Development: loopback may be dialled. Every other forbidden range stays forbidden. */
  allowLocal: boolean;
}

/** Public by number, yet answered by the cloud's own machinery next door. */
const metadataAddresses = new Set(['168.63.129.16']);

/** Why the service must not dial this address, in a word, or null when it may. */
export function forbiddenRange(address: string, { allowLocal }: LocalPolicy): string | null {
  // A zone ("fe80::1%eth0") only makes sense on a link of ours.
  if (isIP(address) === 0 || address.includes('%')) return 'not an address';
  const range = rangeOf(parse(address));
  if (range === 'loopback' && allowLocal) return null;
  return range === 'unicast' ? null : range;
}

function rangeOf(address: IPv4 | IPv6): string {
  if (address instanceof IPv4) return rangeOfIPv4(address);
  // The kernel dials a mapped address as plain IPv4, so it is judged as one.
  if (address.isIPv4MappedAddress()) return rangeOfIPv4(address.toIPv4Address());
  const range = address.range();
  if (range !== 'unicast') return range;
  // Outside 2000::/3 nothing is handed out to the public; IPv4-compatible ::a.b.c.d lives there, too.
  if (!address.match(new IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3)) return 'reserved';
  if (isIsatap(address)) return 'isatap';
  return 'unicast';
}

function rangeOfIPv4(address: IPv4): string {
  return metadataAddresses.has(address.toString()) ? 'metadata' : address.range();
}

/** An interface id of [02]00:5efe:a.b.c.d tunnels to the IPv4 address inside it. */
function isIsatap(address: IPv6): boolean {
  const [, , , , high, marker] = address.parts;
  return marker === 0x5efe && (high === 0 || high === 0x200);
}
