import type { Channel } from '../../src/contract/common';

export interface ChatButton {
  text: string;
  data?: string;
  url?: string;
}

export interface ChatMessage {
  message_id: number | string;
  from: 'bot' | 'user';
  text: string;
  edited: boolean;
  buttons: ChatButton[][];
  entities?: { type: string; offset: number; length: number; url?: string }[];
  media?: { type: string; url: string };
}

export interface Chat {
  messages: ChatMessage[];
  toasts: { text: string; alert: boolean }[];
}

export type User = string | number;

/** The bot's API calls: counts by method, and the latest calls, oldest first. */
export interface BotCalls {
  counts: Record<string, number>;
  calls: { method: string; params: Record<string, unknown> }[];
}

export interface SimulatorStats {
  messages_sent: number;
  recipients: number;
  by_user_max: number;
}

/** The simulator's control API, which acts as a user. */
export interface SimulatorControl {
  open(channel: Channel, user: User, body?: Record<string, unknown>): Promise<Record<string, unknown>>;
  tap(
    channel: Channel,
    user: User,
    body: { button: string | number; stale?: boolean } | { message_id: unknown; data: string },
  ): Promise<Record<string, unknown>>;
  say(channel: Channel, user: User, text: string): Promise<unknown>;
  block(channel: Channel, user: User): Promise<unknown>;
  unblock(channel: Channel, user: User): Promise<unknown>;
  chat(channel: Channel, user: User): Promise<Chat>;
  faults(channel: Channel, fault: Record<string, unknown>): Promise<unknown>;
  calls(channel: Channel, method?: string): Promise<BotCalls>;
  /** Users who exist as counters only. */
  addUsers(channel: Channel, users: { count: number; from: number }): Promise<unknown>;
  stats(channel: Channel): Promise<SimulatorStats>;
}

export function createSimulatorControl(url: string): SimulatorControl {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${text}`);
    return JSON.parse(text || '{}') as T;
  }
  const user = (channel: Channel, id: User, action: string) =>
    `${channel}/users/${encodeURIComponent(String(id))}/${action}`;
  return {
    open: (channel, id, body = {}) => call('POST', user(channel, id, 'open'), body),
    tap: (channel, id, body) => call('POST', user(channel, id, 'tap'), body),
    say: (channel, id, text) => call('POST', user(channel, id, 'say'), { text }),
    block: (channel, id) => call('POST', user(channel, id, 'block'), {}),
    unblock: (channel, id) => call('POST', user(channel, id, 'unblock'), {}),
    chat: (channel, id) => call('GET', user(channel, id, 'chat')),
    faults: (channel, fault) => call('POST', `${channel}/faults`, fault),
    addUsers: (channel, users) => call('POST', `${channel}/users`, users),
    stats: (channel) => call('GET', `${channel}/stats`),
    calls: (channel, method) => call('GET', `${channel}/calls${method ? `?method=${method}` : ''}`),
  };
}
