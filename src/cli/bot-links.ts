import { createMaxMessenger } from '../bots/max/messenger';
import { createTelegramMessenger } from '../bots/telegram/messenger';
import { channels, type Channel } from '../contract/common';
import { simulatorLink } from '../embedded/simulator';
import type { LinkTo } from '../team/links';
import { UsageError, type Installation } from './context';

const settingsOf = {
  telegram: { token: 'TELEGRAM_BOT_TOKEN', root: 'TELEGRAM_API_ROOT', create: createTelegramMessenger },
  max: { token: 'MAX_BOT_TOKEN', root: 'MAX_API_ROOT', create: createMaxMessenger },
} as const;

/** Links of the shared bots, as the service builds them: a platform is asked for the bot's name, the simulator is not. */
export async function connectBotLinks({ settings, runtime }: Installation): Promise<LinkTo> {
  const simulator = runtime?.['simulator_url'];
  const links = new Map<Channel, (start: string) => string>();
  for (const channel of channels) {
    const { token: name, root, create } = settingsOf[channel];
    const token = settings[name];
    if (token) {
      const messenger = await create({ token, apiRoot: settings[root] }).catch(() => null);
      if (!messenger) throw new UsageError(`The ${channel} bot cannot be reached: check ${name}.`);
      links.set(channel, (start) => messenger.link(start));
    } else if (typeof simulator === 'string') {
      links.set(channel, (start) => simulatorLink(simulator, channel, start));
    }
  }
  return (channel, start) => links.get(channel)?.(start) ?? null;
}
