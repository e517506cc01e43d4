import { z } from 'zod';
import { channelSchema } from '../contract/common';

/** Longer than any token of the messengers. */
const TOKEN_LENGTH = 256;

export const channelParams = z.strictObject({ channel: channelSchema });

export const connectBotSchema = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(TOKEN_LENGTH)
    .describe(
      'The token from BotFather or from MAX for partners. It is stored encrypted and never returned.',
    ),
});

const connectedBot = { channel: 'telegram', bot_username: 'example_bot', own: true, status: 'connected' };

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
  .meta({ examples: [connectedBot] });
export type ChannelView = z.infer<typeof channelViewSchema>;

export const channelListSchema = z.strictObject({ data: z.array(channelViewSchema) });
