import { z } from 'zod';
import type { Channel, Language } from '../../base/contract/common';
import { httpUrl } from '../../base/lib/http-url';
import type { Setting } from '../../base/config/setting-types';
import type {
  BotAddress,
  BotClient,
  BotIdentity,
  MediaType,
  OutgoingMedia,
  OutgoingMessage,
} from './messenger';
import type { MediaUploads } from './media/uploads';
import type { ReceivedUpdate } from './update';

export const apiRoot = (fallback: string) => httpUrl.prefault(fallback);

/** The short name of a Mini App, or its whole link. */
export const miniAppName = z
  .string()
  .regex(/^(https:\/\/\S+|[A-Za-z0-9_]{1,64})$/, 'must be an https URL or 1 to 64 characters of A-Za-z0-9_')
  .refine((value) => !value.includes(':') || URL.canParse(value), 'must be an https URL');

/** Everything in which one messenger differs from another. Each is a folder here and a line in registry.ts. */
export interface Platform {
  /** The channel in the API and the database, and the beginning of `<name>_link`: a-z and 0-9. */
  name: Channel;
  label: Record<Language, string>;
  /** SVG in the colour of the text. Marks and icons are our own drawings, not the messengers' logos. */
  mark: string;
  /** SVG in the messenger's own colours. */
  icon: string;

  settings: {
    /** Of the shared bot. */
    token: Setting<string | undefined>;
    apiRoot: Setting<string>;
  };
  /** A token becomes part of a URL or a header, so nothing else may be in it. */
  tokenPattern: RegExp;
  /** Where a project gets the token of its own bot. */
  tokenHint: Record<Language, string>;
  /** What of a token names its bot: the same in every token of the bot, where tokens name it at all. */
  botIn(token: string): string;
  /** Asks the platform whose token it is. */
  identify(address: BotAddress): Promise<BotIdentity>;
  createClient(address: BotAddress, uploads: MediaUploads): BotClient;
  link(botName: string, start: string): string;
  /** Opens the installed app directly; null if there are no such links. */
  appLink(botName: string, start: string): string | null;

  /** The header with the webhook's secret, in lower case. */
  secretHeader: string;
  /** Null if `raw` is not an update of this platform. */
  parseUpdate(raw: unknown): ReceivedUpdate | null;
  /** The chat in which every bot of the platform reaches a user who has opened it. */
  chatOf(userId: string): string;

  /**
   * Whether the platform fetches the media itself. Media of unknown size (`null`) is uploaded; media whose size was never
   * read (`undefined`) is left to the platform where that depends on the size.
   */
  fetchesMedia(media: Pick<OutgoingMedia, 'bytes'> & { type: MediaType }): boolean;
  /** A text in the platform's own markup; undefined if it takes the text as it is. */
  convertText(message: Pick<OutgoingMessage, 'text' | 'format'>): string | undefined;
  /** How many calls a message takes: two where the text is too long for a caption and follows its media. */
  callsOf(message: Pick<OutgoingMessage, 'text' | 'media'>): 1 | 2;

  /** Null if the messenger shows no Mini Apps. */
  miniApp: {
    /** The shared bot's Mini App: its address or its short name. */
    setting: Setting<string | undefined>;
    address(botName: string, shortName: string): string;
    /** The field of the page's fragment in which the messenger passes the signed data. */
    launchField: string;
    /** The messenger's own web clients, which show a Mini App in a frame. */
    frameAncestors: string[];
  } | null;
}
