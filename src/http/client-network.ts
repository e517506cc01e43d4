import { isIPv6 } from 'node:net';

/** What an address counts as in a limit: an IPv4 address itself; of IPv6 the /64, of which one client has every address. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address takes two groups.
  const size = (list: string[]) => list.length + (list.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - size(rest) }, () => '0');
  const network = [...groups, ...zeros, ...rest]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
