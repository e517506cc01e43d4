import { isIP } from 'node:net';

/** An IPv4 or IPv6 address without a zone, which means nothing outside its host and has no length limit. */
export function isIpAddress(text: string): boolean {
  return !text.includes('%') && isIP(text) !== 0;
}
