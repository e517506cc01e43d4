import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** All addresses of a name; rejects when it has none. */
export type Lookup = (hostname: string) => Promise<string[]>;

const limitMs = 5_000;

const hostsFile =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/**
 * Asks the hosts file, then DNS over its own sockets. Not `dns.lookup`: that one waits in libuv's few
 * threads, where two names with a dead name server would hold up the deliveries of everybody else.
 */
export const systemLookup: Lookup = async (hostname) => {
  if (isLocalhostName(hostname)) return ['127.0.0.1', '::1'];
  const known = await fromHostsFile(hostname);
  return known.length > 0 ? known : fromDns(hostname);
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
  // A fresh resolver follows changes of the system's name servers and can be cancelled alone.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const limit = setTimeout(() => resolver.cancel(), limitMs);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  } finally {
    clearTimeout(limit);
  }
}
