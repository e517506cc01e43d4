import { listProjectBots, platforms } from '../../bots';
import { channels } from '../../../base/contract/common';
import { route } from '../../../base/http/route';
import {
  channelListSchema,
  channelParams,
  channelViewSchema,
  connectBotSchema,
  messengerListSchema,
} from './contract';
import { connectOwnBot, removeOwnBot, type ChannelDeps } from './own-bot';

const tag = 'Channels';

export function createChannelRoutes(deps: ChannelDeps) {
  const { pool, messengers } = deps;
  return [
    route(
      {
        method: 'GET',
        path: '/v1/channels',
        summary: 'List channels and their bots',
        description:
          'Each messenger with the bot that the project’s links lead to: its own, or the shared one.',
        tag,
        response: channelListSchema,
      },
      async ({ project }) => {
        const own = await listProjectBots(pool, project.id);
        return {
          data: channels.map((channel) => {
            const bot = own.find((each) => each.channel === channel);
            if (bot) {
              const { username: bot_username, status, error } = bot;
              return { channel, bot_username, own: true, status, ...(error === null ? {} : { error }) };
            }
            return {
              channel,
              bot_username: messengers.get(channel)?.botName ?? null,
              own: false,
              status: messengers.sharedStatus(channel),
            };
          }),
        };
      },
    ),
    route(
      {
        method: 'PUT',
        path: '/v1/channels/{channel}',
        summary: 'Connect the project’s own bot',
        description:
          'Links, logins and messages use this bot from now on. It takes effect within seconds and replaces the bot that was connected before. Subscribers who came through the shared bot are still reached through it until they open the new one.',
        tag,
        params: channelParams,
        body: connectBotSchema,
        response: channelViewSchema,
        errors: ['invalid_bot_token', 'conflict', 'platform_busy'],
      },
      ({ project, params, body }) => connectOwnBot(deps, project.id, params.channel, body.token),
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/channels/{channel}',
        summary: 'Remove the project’s own bot',
        description:
          'The project uses the shared bot again. Subscribers whom only the removed bot could reach get no messages until they open the shared bot.',
        tag,
        params: channelParams,
        status: 204,
      },
      ({ project, params }) => removeOwnBot(deps, project.id, params.channel),
    ),
  ];
}

/** For the dashboard, which shows them before anyone has signed in. */
export function createMessengerRoutes() {
  return [
    route(
      {
        method: 'GET',
        path: '/dashboard/messengers',
        summary: 'List the messengers',
        description: 'Names and icons, for the dashboard’s own pages.',
        tag: 'Dashboard',
        auth: 'none',
        response: messengerListSchema,
      },
      async () => ({
        data: platforms().map(({ name, label, icon, tokenHint }) => ({
          channel: name,
          label,
          icon,
          token_hint: tokenHint,
        })),
      }),
    ),
  ];
}
