import type { MessengerSettings, PlatformSettings } from './messengers';
import type { Channel } from '../contract/common';
import { isPrivateHost } from '../outbound/addresses';

/*
 * Settings that are valid but unsafe in production. Herald does not start with those that expose secrets to the network, and
 * warns of those that an operator may have a reason for.
 */

interface CheckedSettings {
  HERALD_PUBLIC_URL?: string | undefined;
  HERALD_ALLOW_LOCAL_WEBHOOKS?: boolean | undefined;
  HERALD_TRUST_PROXY: number;
  platforms: Record<Channel, PlatformSettings>;
}

/** Refused, because traffic of such a URL crosses a public network unencrypted. */
export function unsafeSettings(
  { HERALD_PUBLIC_URL, platforms }: CheckedSettings,
  messengers: MessengerSettings[],
): string[] {
  const urls: [name: string, url: string | undefined, secrets: string][] = [
    ['HERALD_PUBLIC_URL', HERALD_PUBLIC_URL, 'keys, codes and session cookies'],
    ...messengers.map(({ name, apiRoot }): [string, string | undefined, string] => [
      apiRoot.variable,
      platforms[name]?.apiRoot,
      'the bot’s token',
    ]),
  ];
  return urls
    .filter(([, url]) => url !== undefined && isOpenToAll(url))
    .map(
      ([name, , secrets]) =>
        `${name}: must use https in production, unless its host is private: ${secrets} would cross the network unencrypted`,
    );
}

/** For the log of every start, and for `herald doctor`. */
export function settingWarnings(settings: CheckedSettings): string[] {
  const warnings: string[] = [];
  if (settings.HERALD_ALLOW_LOCAL_WEBHOOKS) {
    warnings.push(
      'HERALD_ALLOW_LOCAL_WEBHOOKS is true: every project can send requests to services on this machine',
    );
  }
  if (settings.HERALD_PUBLIC_URL?.startsWith('https:') && settings.HERALD_TRUST_PROXY === 0) {
    warnings.push(
      'HERALD_TRUST_PROXY is 0, but a proxy must end TLS for HERALD_PUBLIC_URL: all clients share the limits of its address',
    );
  }
  return warnings;
}

function isOpenToAll(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isPrivateHost(hostname);
}
