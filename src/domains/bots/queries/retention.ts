import type { Retention } from '../../../base/db/retention';

export const retention = (): Retention => ({
  // Media that is sent later is uploaded again.
  media_uploads: { age: 'created_at', after: '7 days' },
  // A platform may redeliver an update for 48 hours. One that was set aside can be examined for 30 days.
  bot_updates: {
    age: 'received_at',
    after: '48 hours',
    where: `handled_at IS NOT NULL OR set_aside_at < now() - interval '30 days'`,
  },
  chat_pace: { age: 'next_at', after: '1 minute', by: 'chat' },
  // The turns of processes that died.
  bot_turns: { age: 'waiting_until', after: '1 minute' },
  project_bots: { bounded: 'A project has at most one bot in each channel.' },
  bot_offsets: { bounded: 'One row for each bot, deleted with an own bot.' },
  bot_webhooks: { bounded: 'One row for each bot, deleted with an own bot.' },
  bot_pace: { bounded: 'One row for each bot, deleted with an own bot.' },
});
