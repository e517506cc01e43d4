import type { Channel } from '../../src/base/contract/common';

/** The bots of every simulator in the tests. */
export const testBots = {
  telegram: { token: '1000001:simulated-telegram-bot-token', username: 'herald_test_bot' },
  max: { token: 'simulated-max-bot-token', username: 'herald_test_bot' },
} as const satisfies Record<Channel, { token: string; username: string }>;
export type SimulatedChannel = keyof typeof testBots;
export const simulatedChannels = ['telegram', 'max'] as const;

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
  attachments: {
    type: string;
    url: string;
    name: string | null;
    mime: string | null;
    bytes: number | null;
  }[];
  reply_to?: number | string;
}

export interface Chat {
  messages: ChatMessage[];
  toasts: { text: string; alert: boolean }[];
}

export type User = string | number;

/** A button by its text or place, or forged data for a message, also in another chat; `stale` comes too late to be answered. */
export type Tap = ({ button: string | number } | { message_id: unknown; data: string; chat?: 'group' }) & {
  stale?: boolean;
};

export interface SimulatorStats {
  messages_sent: number;
  recipients: number;
  by_user_max: number;
  messages_throttled: number;
  pending_updates: number;
}

/** The simulator's control API: what a person does with the phone in hand. */
export interface SimulatorControl {
  open(channel: Channel, user: User, body?: Record<string, unknown>): Promise<{ user_id: number }>;
  tap(channel: Channel, user: User, body: Tap): Promise<Record<string, unknown>>;
  say(
    channel: Channel,
    user: User,
    text: string,
    more?: { reply_to?: unknown; forwarded?: true; language_code?: string },
  ): Promise<{ message_id: number | string }>;
  sendFile(
    channel: Channel,
    user: User,
    file: { type: string; name?: string; mime?: string; bytes_base64?: string; caption?: string },
  ): Promise<{ file_id: string; message_id: number | string }>;
  edit(channel: Channel, user: User, messageId: unknown, text: string): Promise<unknown>;
  block(channel: Channel, user: User): Promise<unknown>;
  unblock(channel: Channel, user: User): Promise<unknown>;
  /** Opens the bot's Mini App with a start parameter. */
  miniApp(channel: Channel, user: User, start: string): Promise<{ url: string; init_data: string }>;
  chat(channel: Channel, user: User): Promise<Chat>;
  /** With `user`, only calls for this user's chat. */
  faults(channel: Channel, fault: Record<string, unknown> & { user?: User }): Promise<unknown>;
  /** Rate limits of the platform; `{}` lifts them. */
  limits(channel: Channel, limits: { per_second?: number; chat_per_second?: number }): Promise<unknown>;
  /** Parameters of the bot's calls of a method, oldest first. */
  calls(channel: Channel, method: string): Promise<Record<string, unknown>[]>;
  /** How often the bot has called a method, whatever the platform answered. */
  callCount(channel: Channel, method: string): Promise<number>;
  /** Users who have opened the bot and only count the messages they get. */
  addUsers(channel: Channel, users: { count: number; from?: number }): Promise<{ from: number }>;
  stats(channel: Channel): Promise<SimulatorStats>;
}

interface CallsView {
  counts: Record<string, number>;
  calls: { params: Record<string, unknown> }[];
}

export interface ControlOptions {
  /** The username of a project's own bot. Default: the shared one. */
  bot?: string;
  /** Part of the name of every user who is not given by number, so that they are not those of other test files. */
  users?: string;
}

export function createSimulatorControl(url: string, { bot, users }: ControlOptions = {}): SimulatorControl {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const target = new URL(`${url}/control/${path}`);
    if (bot !== undefined) target.searchParams.set('bot', bot);
    const response = await fetch(target, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${text}`);
    return JSON.parse(text || '{}') as T;
  }
  const nameOf = (user: User) =>
    users === undefined || /^\d+$/.test(String(user)) ? String(user) : `${user}-${users}`;
  const user = (channel: Channel, id: User, action: string) =>
    `${channel}/users/${encodeURIComponent(nameOf(id))}/${action}`;
  const view = (channel: Channel, method: string) =>
    call<CallsView>('GET', `${channel}/calls?method=${encodeURIComponent(method)}`);
  return {
    open: (channel, id, body = {}) => call('POST', user(channel, id, 'open'), body),
    tap: (channel, id, body) => call('POST', user(channel, id, 'tap'), body),
    say: (channel, id, text, more = {}) => call('POST', user(channel, id, 'say'), { text, ...more }),
    sendFile: (channel, id, file) => call('POST', user(channel, id, 'send-file'), file),
    edit: (channel, id, message_id, text) => call('POST', user(channel, id, 'edit'), { message_id, text }),
    block: (channel, id) => call('POST', user(channel, id, 'block'), {}),
    unblock: (channel, id) => call('POST', user(channel, id, 'unblock'), {}),
    miniApp: (channel, id, start) => call('POST', user(channel, id, 'mini-app'), { start }),
    chat: (channel, id) => call('GET', user(channel, id, 'chat')),
    faults: (channel, { user: only, ...fault }) =>
      call('POST', `${channel}/faults`, { ...fault, ...(only === undefined ? {} : { user: nameOf(only) }) }),
    limits: (channel, limits) => call('POST', `${channel}/limits`, limits),
    calls: async (channel, method) => (await view(channel, method)).calls.map(({ params }) => params),
    callCount: async (channel, method) => (await view(channel, method)).counts[method] ?? 0,
    addUsers: (channel, crowd) => call('POST', `${channel}/users`, crowd),
    stats: (channel) => call('GET', `${channel}/stats`),
  };
}
