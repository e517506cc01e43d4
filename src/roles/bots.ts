import { createConversation } from '../bots/conversation';
import { createIntake, type Intake } from '../bots/intake';
import { startPolling } from '../bots/polling';
import { botWebhookPath } from '../bots/webhook-intake';
import { startWebhookRegistration } from '../bots/webhook-registration';
import type { Channel } from '../contract/common';
import type { Core } from '../core';
import { isUnavailable } from '../lib/unavailable';
import { loginChat } from '../login/conversation';
import { createSessionStarter } from '../login/workflow';
import { messageChat } from '../messages/button-taps';
import { subscriberChat } from '../subscribers/conversation';
import { teamChat } from '../team/conversation';

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
    handle: createConversation(core, [
      loginChat({ ...core, starter }),
      subscriberChat(core),
      messageChat(core),
      teamChat(core),
    ]),
    isTransient: isUnavailable,
  });
}

/** The secret that the messengers send with each update: a setting, or derived from the encryption key. */
export function botWebhookSecret(core: Pick<Core, 'config' | 'cipher'>, channel: Channel): string {
  return core.config.HERALD_BOT_WEBHOOK_SECRET ?? core.cipher.derive(`bot webhook ${channel}`);
}

export async function startBots(core: Core, databaseUrl: string): Promise<RunningBots> {
  const { config, messengers, log, pool } = core;
  const intake = createBotIntake(core);
  intake.start();
  if (config.botUpdates === 'webhook') {
    const registrations = messengers.configured.map((channel) =>
      startWebhookRegistration({
        channel,
        messenger: () => messengers.get(channel),
        url: core.publicUrl() + botWebhookPath(channel),
        secret: botWebhookSecret(core, channel),
        pool,
        log,
      }),
    );
    await Promise.all(registrations.map(({ attempted }) => attempted));
    return {
      async stop() {
        await Promise.all(registrations.map((registration) => registration.stop()));
        await intake.stop();
      },
    };
  }
  const pollings = messengers.configured.map((channel) =>
    startPolling({ channel, messenger: () => messengers.get(channel), intake, pool, databaseUrl, log }),
  );
  return {
    async stop() {
      await Promise.all(pollings.map((polling) => polling.stop()));
      await intake.stop();
    },
  };
}
