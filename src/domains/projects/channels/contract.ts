import { z } from 'zod';
import { channelSchema, exampleChannel } from '../../../base/contract/common';

/** Longer than any token of the messengers. */
const TOKEN_LENGTH = 256;

export const channelParams = z.strictObject({ channel: channelSchema });

export const connectBotSchema = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(TOKEN_LENGTH)
      .describe('The token that the messenger gave the bot. It is stored encrypted and never returned.'),
  })
  .meta({ examples: [{ token: '<bot token>' }] });

const connectedBot = { channel: exampleChannel, bot_username: 'example_bot', own: true, status: 'connected' };

export const channelViewSchema = z
  .strictObject({
    channel: channelSchema,
    bot_username: z
      .string()
      .nullable()
      .describe('The bot that the project’s links lead to; null if the channel is off.'),
    own: z.boolean().describe('Whether the bot is the project’s own.'),
    status: z
      .enum(['connected', 'away', 'off'])
      .describe(
        '`away`: the messenger does not respond, or refuses the bot’s token (revoked, or the bot is banned); `error` has its words. `off`: the channel has no bot.',
      ),
    error: z.string().optional().describe('What the messenger said, for an own bot that is not connected.'),
  })
  .meta({ id: 'Channel', examples: [connectedBot] });
export type ChannelView = z.infer<typeof channelViewSchema>;

const inBothLanguages = z.strictObject({ en: z.string(), ru: z.string() });

const messengerSchema = z.strictObject({
  channel: channelSchema,
  label: inBothLanguages
    .describe('Its name.')
    .meta({ examples: [{ en: exampleChannel, ru: exampleChannel }] }),
  icon: z
    .string()
    .describe('SVG.')
    .meta({ examples: ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">…</svg>'] }),
  token_hint: inBothLanguages
    .describe('Where a bot’s token comes from.')
    .meta({ examples: [{ en: '@BotFather: /newbot', ru: '@BotFather: /newbot' }] }),
});
export type MessengerView = z.infer<typeof messengerSchema>;

export const messengerListSchema = z.strictObject({ data: z.array(messengerSchema) });

export const channelListSchema = z.strictObject({ data: z.array(channelViewSchema) });
