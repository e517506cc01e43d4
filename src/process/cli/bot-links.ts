import { connectBot, platforms } from '../../domains/bots';
import type { Channel } from '../../base/contract/common';
import { simulatedBots, simulatorLink } from '../../local/simulator';
import type { LinkTo } from '../../domains/projects/team/links';
import { UsageError, type Installation } from './context';

/** Links of the shared bots, as the service builds them: a platform is asked for the bot's name, the simulator is not. */
export async function connectBotLinks({ settings, runtime }: Installation): Promise<LinkTo> {
  const simulator = runtime?.['simulator_url'];
  const links = new Map<Channel, (start: string) => string>();
  for (const platform of platforms()) {
    const { name: channel, settings: names } = platform;
    const { token, apiRoot } = settings.platforms[channel] ?? {};
    if (token && apiRoot) {
      const messenger = await connectBot(platform, { token, apiRoot }).catch(() => null);
      if (!messenger) {
        throw new UsageError(`The ${channel} bot cannot be reached: check ${names.token.variable}.`);
      }
      links.set(channel, (start) => messenger.link(start));
    } else if (typeof simulator === 'string' && channel in simulatedBots) {
      links.set(channel, (start) => simulatorLink(simulator, channel, start));
    }
  }
  return (channel, start) => links.get(channel)?.(start) ?? null;
}
