import ipaddr from 'ipaddr.js';

/** One form for each address: IPv6 in lower case and short, and an IPv4 address inside IPv6 as itself. */
export function canonicalAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/**
 * What an address counts as in a limit: an IPv4 address itself; of IPv6 the /64, of which one client has every address, or
 * the /48, which a provider assigns to one subscriber.
 */
export function clientNetwork(address: string, bits: 64 | 48 = 64): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${bits}`);
  return `${network.toString()}/${bits}`;
}
