import ipaddr from 'ipaddr.js';

/** The address that a limit counts: of IPv6 the /64 network, because a subscriber's line has all of its addresses. */
export function limitedAddress(address: string): string {
  return networkOf(address, 64);
}

/** The site of an address: of IPv6 the /48 network, which a provider assigns to one subscriber. */
export function siteOf(address: string): string {
  return networkOf(address, 48);
}

function networkOf(address: string, bits: number): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${bits}`);
  return `${network.toString()}/${bits}`;
}
