import type { Channel } from '../contract/common';

/** Either `data`, which comes back as a tap, or `url`, which opens it. */
export interface Button {
  text: string;
  data?: string;
  url?: string;
}

export interface OutgoingMessage {
  text: string;
  /** Default: plain. `markdown` is the small dialect of markdown.ts, the same on every channel. */
  format?: 'plain' | 'markdown' | 'html';
  buttons?: Button[][];
  media?: { type: 'photo' | 'video' | 'document'; url: string };
}

export interface TapNotice {
  text: string;
  /** Shown until it is closed, where the platform can do that. */
  alert?: boolean;
}

export interface SendOptions {
  /** A "too many requests" fails at once, for a caller who keeps the pace of many messages itself. */
  failsFast?: boolean;
}

export interface WebhookState {
  /** Empty while updates are polled for. */
  urls: string[];
  /** The platform's own words about its last delivery, where it tells. */
  lastError: string | null;
}

/** What one long poll brought, and where the next one goes on. */
export interface PolledUpdates {
  updates: unknown[];
  position: string | null;
}

/**
 * A bot on one platform. Every call has a time limit and fails only with a PlatformError, which carries the
 * specification's reason and nothing of the request.
 */
export interface Messenger {
  readonly channel: Channel;
  /** The bot's public name, as its links spell it. */
  readonly botName: string;
  link(start: string): string;
  /** A link that opens the installed application directly, where the platform has such links. */
  appLink(start: string): string | null;
  send(chatId: string, message: OutgoingMessage, options?: SendOptions): Promise<{ messageId: string }>;
  /** Replaces text and buttons; without `buttons` the keyboard goes. No change at all counts as done. */
  edit(chatId: string, messageId: string, message: OutgoingMessage): Promise<void>;
  /** A tap that the platform no longer knows is left as it is: nobody waits for its answer. */
  answerTap(callbackId: string, notice?: TapNotice): Promise<void>;
  /** Resolves when the platform answers and knows the bot. */
  check(): Promise<void>;
  setWebhook(url: string, secret: string): Promise<void>;
  deleteWebhook(): Promise<void>;
  /** Where the platform delivers updates now. */
  webhookState(): Promise<WebhookState>;
  /** One long poll. Without a position it starts with whatever the platform still keeps. */
  poll(position: string | null, signal: AbortSignal): Promise<PolledUpdates>;
}

export interface MessengerOptions {
  token: string;
  apiRoot: string;
  /** Where links lead instead of the messenger's own address: the simulator's page. */
  link?: (start: string) => string;
}
