import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** Returns all addresses of a name; rejects if there are none. */
export type Lookup = (hostname: string) => Promise<string[]>;

const TIMEOUT_MS = 5_000;

const hostsFile =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/**
 * Looks in the hosts file, then queries DNS on separate sockets. Not `dns.lookup`, which blocks libuv's few threads:
 * two names with a dead name server would delay all other deliveries.
 */
export const systemLookup: Lookup = async (hostname) => {
  if (isLocalhostName(hostname)) return ['127.0.0.1', '::1'];
  const fromHosts = await fromHostsFile(hostname);
  return fromHosts.length > 0 ? fromHosts : fromDns(hostname);
};

export function isLocalhostName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

async function fromHostsFile(hostname: string): Promise<string[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(hostname) ? [address] : [];
  });
}

async function fromDns(hostname: string): Promise<string[]> {
  // A new resolver per lookup picks up changed name servers and can be cancelled on its own.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const timeout = setTimeout(() => resolver.cancel(), TIMEOUT_MS);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  } finally {
    clearTimeout(timeout);
  }
}
