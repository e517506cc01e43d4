import { createMaxMessenger } from '../../../src/bots/max/messenger';
import type { Messenger } from '../../../src/bots/messenger';
import { createTelegramMessenger } from '../../../src/bots/telegram/messenger';
import type { Channel } from '../../../src/contract/common';
import { type Simulator, startSimulator } from '../../../src/embedded/simulator';
import { createSimulatorControl, type SimulatorControl } from '../../support/simulator-control';

export const tokens = {
  telegram: '7000001:test-only-telegram-token-000000',
  max: 'test-only-max-token-000000',
};

/** A simulator of its own, the bots that talk to it, and what people do with them. */
export interface BotSimulator {
  simulator: Simulator;
  control: SimulatorControl;
  messenger(channel: Channel): Promise<Messenger>;
  stop(): Promise<void>;
}

export async function startBotSimulator(): Promise<BotSimulator> {
  const simulator = await startSimulator({
    port: 0,
    telegram: { token: tokens.telegram, username: 'HeraldTestBot' },
    max: { token: tokens.max, username: 'herald_test_bot' },
  });
  return {
    simulator,
    control: createSimulatorControl(simulator.url),
    messenger: (channel) =>
      channel === 'telegram'
        ? createTelegramMessenger({ token: tokens.telegram, apiRoot: simulator.telegramApiRoot })
        : createMaxMessenger({ token: tokens.max, apiRoot: simulator.maxApiRoot, allowLocalMedia: true }),
    stop: () => simulator.stop(),
  };
}
