import { channels, exampleLinks, type Channel } from '../../base/contract/common';
import { max } from './max';
import type { Platform } from './platform';
import { telegram } from './telegram';

const registered = new Map<Channel, Platform>();

/** Before the service starts: schemas read the names once, when they are first used. */
export function registerPlatform(platform: Platform): void {
  registered.set(platform.name, platform);
  channels.push(platform.name);
  exampleLinks[platform.name] = `${platform.link('example_bot', '')}…`;
}

registerPlatform(telegram);
registerPlatform(max);

export function platforms(): Platform[] {
  return [...registered.values()];
}

export function platformOf(channel: Channel): Platform {
  const platform = registered.get(channel);
  if (!platform) throw new Error(`no messenger is registered as ${channel}`);
  return platform;
}
