import type { Channel } from '../../base/contract/common';
import type { Db } from '../../base/db/pool';
import type { Logger } from '../../base/lib/log';
import type { OpenedFile } from './media/download';

/** A button has either `data`, sent back as a tap, or `url`, which it opens. */
export interface Button {
  text: string;
  data?: string;
  url?: string;
}

type TextFormat = 'plain' | 'markdown' | 'html';
export type MediaType = 'photo' | 'video' | 'document';

export interface OutgoingMedia {
  type: MediaType;
  url: string;
  /** Null if its server does not state the size; absent if it was not asked. */
  bytes?: number | null;
  /** Identifies the content: media with the same key is uploaded once. Without a key it is uploaded for each send. */
  key?: string;
  /** The project, for a fair share of the upload slots. */
  owner?: string;
}

export interface OutgoingMessage {
  text: string;
  /** Default: plain. `markdown` is the dialect of markdown.ts, the same on every channel. */
  format?: TextFormat;
  /** The text in the channel's own markup, if it was converted once for several recipients. */
  converted?: string;
  buttons?: Button[][];
  media?: OutgoingMedia;
}

export interface TapNotice {
  text: string;
  /** Shown until the user closes it, if the platform supports that. */
  alert?: boolean;
}

/** What was already sent of a message that takes two calls: its media, then a text too long for a caption. */
export interface SendProgress {
  mediaSent: boolean;
  /** Called between the two calls; the second waits until this has been recorded. */
  recordMedia(messageId: string): Promise<void>;
}

export interface SendOptions {
  /** Fail on 429 instead of waiting and retrying: for a caller that waits for its turn itself. */
  failFast?: boolean;
  /** A repeated send continues after the media. */
  progress?: SendProgress;
}

interface WebhookState {
  /** Empty while updates are polled. */
  urls: string[];
  /** The platform's text about its last failed delivery, if it reports one. */
  lastError: string | null;
}

/** The result of one long poll; the next one continues from `position`. */
interface PolledUpdates {
  updates: unknown[];
  position: string | null;
}

/**
 * The calls of a bot. Every call has a timeout and fails only with a PlatformError, which carries a failure reason of the
 * specification and nothing of the request.
 */
export interface BotClient {
  send(chatId: string, message: OutgoingMessage, options?: SendOptions): Promise<{ messageId: string }>;
  /** Replaces text and buttons; without `buttons` the keyboard is removed. Succeeds if nothing changes. */
  edit(chatId: string, messageId: string, message: OutgoingMessage): Promise<void>;
  /** Succeeds if the tap has expired: its user no longer waits for an answer. */
  answerTap(callbackId: string, notice?: TapNotice): Promise<void>;
  setWebhook(url: string, secret: string): Promise<void>;
  deleteWebhook(): Promise<void>;
  /** Where the platform currently delivers updates. */
  webhookState(): Promise<WebhookState>;
  /** Opens a file that a user has sent to this bot, by its reference. Throws FileGoneError if it cannot be had. */
  openFile(reference: string, signal: AbortSignal): Promise<OpenedFile>;
  /** One long poll. Without a position it starts with the oldest update that the platform still keeps. */
  poll(position: string | null, signal: AbortSignal): Promise<PolledUpdates>;
}

/** A bot on one platform. */
export interface Messenger extends BotClient {
  readonly channel: Channel;
  /** See bot-key.ts. */
  readonly bot: string;
  /** The platform's id of the bot. */
  readonly botId: number;
  /** The bot's username, as used in links. */
  readonly botName: string;
  link(start: string): string;
  /** With this key the platform signs the data that it passes to the bot's Mini App; null if it has none. */
  readonly initDataKey: Buffer | null;
  /** A link that opens the installed app directly; null if the platform has no such links. */
  appLink(start: string): string | null;
  /** False if the next send uploads the media: a sender of many messages waits for it. */
  isMediaReady(media: OutgoingMedia): Promise<boolean>;
  /** Resolves if the platform is reachable and accepts the token. */
  check(): Promise<void>;
}

/** What the platform says about a bot. */
export interface BotIdentity {
  botId: number;
  botName: string;
}

/** Where a bot is found, and with what. */
export interface BotAddress {
  token: string;
  apiRoot: string;
}

export interface MessengerOptions extends BotAddress {
  /** A project's own bot, which was asked for its identity when it was connected. The shared bot is asked here. */
  own?: BotIdentity;
  /** Builds links to the simulator's page instead of the messenger's own. */
  link?: (start: string) => string;
  /** Where uploads are recorded. Without it the bot uploads media for each send. */
  pool?: Db;
  /** Whether media that Herald uploads may be fetched from loopback. */
  allowLocalMedia?: boolean;
  log?: Logger;
}
