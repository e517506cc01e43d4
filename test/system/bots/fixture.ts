import pino from 'pino';
import type { Channel } from '../../../src/base/contract/common';
import {
  createIntake,
  type Intake,
  type IntakeOptions,
  type StoredUpdate,
} from '../../../src/domains/bots/intake';
import { connectBot } from '../../../src/domains/bots/connect';
import { max } from '../../../src/domains/bots/max';
import type { Messenger } from '../../../src/domains/bots/messenger';
import { telegram } from '../../../src/domains/bots/telegram';
import { createNotifications } from '../../../src/base/db/notify';
import type { Simulator } from '../../../src/local/simulator';
import type { Logger } from '../../../src/base/lib/log';
import type { TestDatabase } from '../../support/database';
import { startTestSimulator } from '../../support/simulator';
import { createSimulatorControl, testBots, type SimulatorControl } from '../../support/simulator-control';

export const quiet: Logger = pino({ level: 'silent' });

/** A simulator of its own, the users on it and the bots of both channels. */
export interface BotFixture {
  simulator: Simulator;
  control: SimulatorControl;
  messenger(channel: Channel): Promise<Messenger>;
  stop(): Promise<void>;
}

export async function startBotFixture(): Promise<BotFixture> {
  const simulator = await startTestSimulator();
  return {
    simulator,
    control: createSimulatorControl(simulator.url),
    messenger: (channel) =>
      channel === 'telegram'
        ? connectBot(telegram, { token: testBots.telegram.token, apiRoot: simulator.telegramApiRoot })
        : connectBot(max, {
            token: testBots.max.token,
            apiRoot: simulator.maxApiRoot,
            allowLocalMedia: true,
          }),
    stop: () => simulator.stop(),
  };
}

export interface RunningIntake {
  intake: Intake;
  stop(): Promise<void>;
}

export function startIntake(
  database: TestDatabase,
  handle: (update: StoredUpdate) => Promise<void>,
  options: Partial<IntakeOptions> = {},
): RunningIntake {
  const notifications = createNotifications({ url: database.url });
  const intake = createIntake({
    pool: database.pool,
    notifications,
    log: quiet,
    handle,
    firstRetryMs: 5,
    ...options,
  });
  intake.start();
  return {
    intake,
    async stop() {
      await intake.stop();
      await notifications.stop();
    },
  };
}

export function telegramText(updateId: number, chat: number, text: string): object {
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      from: { id: chat, is_bot: false, first_name: 'Anna' },
      chat: { id: chat, type: 'private' },
      date: 1,
      text,
    },
  };
}

export function textOf({ parsed: { incoming } }: Pick<StoredUpdate, 'parsed'>): string {
  return incoming.kind === 'message' ? incoming.text : incoming.kind;
}
