import { sharedBotKey } from '../../domains/bots/bot-key';
import { createConversation } from '../../domains/bots/conversation';
import { createIntake, type Intake } from '../../domains/bots/intake';
import { createLeaders, type Leader, type Leaders } from '../../domains/bots/leader';
import type { Messenger } from '../../domains/bots/messenger';
import { receiveOwnBotUpdates } from '../../domains/bots/own-bot-updates';
import type { OwnBot } from '../../domains/bots/own-bots';
import { startPolling } from '../../domains/bots/polling';
import { botWebhookPath } from '../../domains/bots/webhook-intake';
import { startWebhookRegistration } from '../../domains/bots/webhook-registration';
import type { Channel } from '../../base/contract/common';
import type { Core } from '../../base/core';
import { isUnavailable } from '../../base/lib/unavailable';
import { formChat } from '../../domains/forms/conversation';
import { helpdeskChat } from '../../domains/helpdesk/conversation';
import { loginChat } from '../../domains/login/conversation';
import { createSessionStarter } from '../../domains/login/workflow-client';
import { messageChat } from '../../domains/messages/button-taps';
import { subscriberChat } from '../../domains/subscribers/conversation';
import { teamChat } from '../../domains/projects/team/conversation';

export interface RunningBots {
  stop(): Promise<void>;
}

/** Stores and handles the messengers' updates. */
export function createBotIntake(core: Core): Intake {
  const starter = createSessionStarter(core);
  return createIntake({
    pool: core.pool,
    notifications: core.notifications,
    log: core.log,
    // Asked in this order: see the order of precedence in bots/conversation.ts.
    handle: createConversation(core, [
      loginChat({ ...core, starter }),
      formChat(core),
      helpdeskChat(core),
      subscriberChat(core),
      messageChat(core),
      teamChat(core),
    ]),
    isTransient: isUnavailable,
  });
}

/**
 * The secret that the messengers send with each update. That of a shared bot is a setting, or derived from the encryption
 * key; each own bot has its own.
 */
export function botWebhookSecret(
  { config, cipher }: Pick<Core, 'config' | 'cipher'>,
  channel: Channel,
  bot: string = sharedBotKey(channel),
): string {
  const given = bot === sharedBotKey(channel) ? config.HERALD_BOT_WEBHOOK_SECRET : undefined;
  return given ?? cipher.derive(`bot webhook ${bot}`);
}

export async function startBots({ pools, ...rest }: Core, databaseUrl: string): Promise<RunningBots> {
  const core: Core = { ...rest, pools, pool: pools.login };
  const { config, messengers, log } = core;
  const intake = createBotIntake(core);
  intake.start();
  const leaders = createLeaders({ databaseUrl, log });
  const receive = config.botUpdates === 'webhook' ? webhooks(core) : polling(core, intake, leaders);
  const shared = await Promise.all(messengers.configured.map(receive.shared));
  const own = receiveOwnBotUpdates(messengers.own, (bot) => receive.own(bot, leaders), log);
  return {
    async stop() {
      await Promise.all([...shared, own].map((each) => each.stop()));
      await leaders.stop();
      await intake.stop();
    },
  };
}

/** How the updates of a shared bot and of a project's own bot are received. */
interface Receiving {
  shared(channel: Channel): Promise<Leader>;
  own(bot: OwnBot, leaders: Leaders): Leader;
}

function polling({ messengers, pool, log }: Core, intake: Intake, leaders: Leaders): Receiving {
  return {
    shared: (channel) =>
      Promise.resolve(
        startPolling({ channel, messenger: () => messengers.get(channel), intake, pool, leaders, log }),
      ),
    own: ({ channel, bot, messenger }) =>
      startPolling({ channel, bot, messenger: () => messenger, intake, pool, leaders, log }),
  };
}

function webhooks(core: Core): Receiving {
  const { messengers, pool, log } = core;
  const register = (channel: Channel, bot: string, messenger: () => Messenger | null) =>
    startWebhookRegistration({
      bot,
      messenger,
      url: core.publicUrl() + botWebhookPath(bot),
      secret: botWebhookSecret(core, channel, bot),
      pool,
      log,
    });
  return {
    async shared(channel) {
      const registration = register(channel, sharedBotKey(channel), () => messengers.get(channel));
      await registration.attempted;
      return registration;
    },
    own: ({ channel, bot, messenger }, leaders) =>
      leaders.lead(`webhook/${bot}`, async (signal) => {
        const registration = register(channel, bot, () => messenger);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        await registration.stop();
      }),
  };
}
