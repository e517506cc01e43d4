import type { Channel } from '../../../src/contract/common';
import { createMaxMessenger } from '../../../src/bots/max/messenger';
import type { Messenger } from '../../../src/bots/messenger';
import { createTelegramMessenger } from '../../../src/bots/telegram/messenger';
import { type Simulator, startSimulator } from '../../../src/embedded/simulator';

export const tokens = {
  telegram: '7000001:test-only-telegram-token-000000',
  max: 'test-only-max-token-000000',
};

export interface SeenMessage {
  message_id: number | string;
  from: 'bot' | 'user';
  text: string;
  edited: boolean;
  buttons: { text: string; data?: string; url?: string }[][];
  entities?: { type: string; offset: number; length: number; url?: string }[];
  media?: { type: string; url: string };
}

export interface SeenChat {
  messages: SeenMessage[];
  toasts: { text: string; alert: boolean }[];
}

/** A simulator of its own, and what a person does with it. */
export interface Stage {
  simulator: Simulator;
  messenger(channel: Channel): Promise<Messenger>;
  act(channel: Channel, user: string, action: string, body?: object): Promise<Record<string, unknown>>;
  chat(channel: Channel, user: string): Promise<SeenChat>;
  fault(channel: Channel, fault: object): Promise<void>;
  /** Parameters of the bot's calls of a method, oldest first. */
  calls(channel: Channel, method: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const simulator = await startSimulator({
    port: 0,
    telegram: { token: tokens.telegram, username: 'HeraldTestBot' },
    max: { token: tokens.max, username: 'herald_test_bot' },
  });

  async function control(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(`${simulator.url}/control/${path}`, {
      method,
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body ?? {}),
      }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  return {
    simulator,
    messenger: (channel) =>
      channel === 'telegram'
        ? createTelegramMessenger({ token: tokens.telegram, apiRoot: simulator.telegramApiRoot })
        : createMaxMessenger({
            token: tokens.max,
            apiRoot: simulator.maxApiRoot,
            allowLocalMedia: true,
          }),
    act: (channel, user, action, body) => control('POST', `${channel}/users/${user}/${action}`, body),
    chat: async (channel, user) =>
      (await control('GET', `${channel}/users/${user}/chat`)) as unknown as SeenChat,
    fault: async (channel, fault) => void (await control('POST', `${channel}/faults`, fault)),
    calls: async (channel, method) => {
      const { calls } = await control('GET', `${channel}/calls?method=${method}`);
      return (calls as { params: Record<string, unknown> }[]).map((call) => call.params);
    },
    stop: () => simulator.stop(),
  };
}
