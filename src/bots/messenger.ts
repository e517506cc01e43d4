import type { Channel } from '../contract/common';

/** A button has either `data`, sent back as a tap, or `url`, which it opens. */
export interface Button {
  text: string;
  data?: string;
  url?: string;
}

export interface OutgoingMessage {
  text: string;
  /** Default: plain. `markdown` is the dialect of telegram/markdown.ts, the same on every channel. */
  format?: 'plain' | 'markdown' | 'html';
  buttons?: Button[][];
  media?: { type: 'photo' | 'video' | 'document'; url: string };
}

export interface TapNotice {
  text: string;
  /** Shown until the user closes it, if the platform supports that. */
  alert?: boolean;
}

export interface SendOptions {
  /** Fail on 429 instead of waiting and retrying: for a caller that waits for its turn itself. */
  failFast?: boolean;
}

export interface WebhookState {
  /** Empty while updates are polled. */
  urls: string[];
  /** The platform's text about its last failed delivery, if it reports one. */
  lastError: string | null;
}

/** The result of one long poll; the next one continues from `position`. */
export interface PolledUpdates {
  updates: unknown[];
  position: string | null;
}

/**
 * A bot on one platform. Every call has a timeout and fails only with a PlatformError, which carries a failure reason
 * of the specification and nothing of the request.
 */
export interface Messenger {
  readonly channel: Channel;
  /** The bot's username, as used in links. */
  readonly botName: string;
  link(start: string): string;
  /** A link that opens the installed app directly; null if the platform has no such links. */
  appLink(start: string): string | null;
  send(chatId: string, message: OutgoingMessage, options?: SendOptions): Promise<{ messageId: string }>;
  /** Replaces text and buttons; without `buttons` the keyboard is removed. Succeeds if nothing changes. */
  edit(chatId: string, messageId: string, message: OutgoingMessage): Promise<void>;
  /** Succeeds if the tap has expired: its user no longer waits for an answer. */
  answerTap(callbackId: string, notice?: TapNotice): Promise<void>;
  /** Resolves if the platform is reachable and accepts the token. */
  check(): Promise<void>;
  setWebhook(url: string, secret: string): Promise<void>;
  deleteWebhook(): Promise<void>;
  /** Where the platform currently delivers updates. */
  webhookState(): Promise<WebhookState>;
  /** One long poll. Without a position it starts with the oldest update that the platform still keeps. */
  poll(position: string | null, signal: AbortSignal): Promise<PolledUpdates>;
}

export interface MessengerOptions {
  token: string;
  apiRoot: string;
  /** Builds links to the simulator's page instead of the messenger's own. */
  link?: (start: string) => string;
}
