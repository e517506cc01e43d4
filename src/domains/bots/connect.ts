import { ownBotKey, sharedBotKey } from './bot-key';
import { initDataKeyOf } from './init-data-key';
import { createBotUploads } from './media/bot-uploads';
import type { Messenger, MessengerOptions } from './messenger';
import type { Platform } from './platform';

/** A bot of a platform. The shared bot is asked who it is; of an own bot that is known. */
export async function connectBot(platform: Platform, options: MessengerOptions): Promise<Messenger> {
  const { name: channel, miniApp } = platform;
  const { token, apiRoot, link, own } = options;
  const { botId, botName } = own ?? (await platform.identify({ token, apiRoot }));
  const uploads = createBotUploads(options, channel, botId);
  return {
    ...platform.createClient({ token, apiRoot }, uploads),
    channel,
    bot: own ? ownBotKey(channel, botId) : sharedBotKey(channel),
    botId,
    botName,
    link: link ?? ((start) => platform.link(botName, start)),
    appLink: (start) => (link ? null : platform.appLink(botName, start)),
    initDataKey: miniApp && initDataKeyOf(token),
    isMediaReady: async (media) => platform.fetchesMedia(media) || uploads.isRecorded(media),
    async check() {
      await platform.identify({ token, apiRoot });
    },
  };
}
