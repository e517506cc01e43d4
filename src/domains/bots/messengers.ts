import { channels, type Channel } from '../../base/contract/common';
import type { Logger } from '../../base/lib/log';
import { sharedBotKey } from './bot-key';
import { withStatus } from './bot-status';
import { withCallMetrics } from './call-metrics';
import { connectBot } from './connect';
import type { BotIdentity, Messenger } from './messenger';
import { createOwnBots, type OwnBot, type OwnBots, type OwnBotsOptions } from './own-bots';
import type { BotStatus, OwnBotRow } from './queries/own-bots';
import { ensureBotPace } from './queries/pace';
import { platformOf } from './registry';

interface PlatformAccess {
  token: string;
  apiRoot: string;
  /** Builds links to the simulator's page instead of the messenger's own; of the shared bot, unless another is named. */
  link?: (start: string, bot?: string) => string;
}

export type PlatformAccesses = Record<Channel, PlatformAccess>;

/** Where the projects' own bots of each channel are reached. */
type PlatformRoot = Omit<PlatformAccess, 'token'>;
type PlatformRoots = Record<Channel, PlatformRoot>;

/** A subscriber, as far as it decides which bot reaches them. */
interface ReachedBy {
  project_id: string;
  channel: Channel;
  bot: string | null;
}

/** The bots of the installation: a shared one for each channel, and those of the projects. */
export interface Messengers {
  /** The shared bot. Null without a token, or until the platform has responded. */
  get(channel: Channel): Messenger | null;
  /** Channels whose shared bot has a token. */
  configured: Channel[];
  /** The bot of a project's links: its own, otherwise the shared one. */
  ofProject(projectId: string, channel: Channel): Messenger | null;
  /** The bot that reaches a subscriber. */
  reaching(subscriber: ReachedBy): Promise<Messenger | null>;
  /** A bot by its key; the shared one for null. `isRemoved` if no such bot is connected any more. */
  find(channel: Channel, bot: string | null): Promise<FoundBot>;
  /** What the calls of this process say about the shared bot. */
  sharedStatus(channel: Channel): BotStatus;
  /** Whether the bot behind a token is the shared one. */
  isShared(channel: Channel, token: string, identity?: BotIdentity): boolean;
  /** Asks the platform whose token it is. */
  identify(channel: Channel, token: string): Promise<BotIdentity>;
  own: OwnBots;
  stop(): Promise<void>;
}

interface FoundBot {
  /** Null until the platform of a shared bot has responded, or if the bot was removed. */
  messenger: Messenger | null;
  isRemoved: boolean;
  /** The project that an own bot serves; null for a shared bot. */
  projectId: string | null;
}

const RETRY_MS = 5_000;

interface ConnectOptions extends Omit<OwnBotsOptions, 'connect'> {
  /** The shared bots. */
  accesses: PlatformAccesses;
  roots: PlatformRoots;
  allowLocalMedia: boolean;
}

/** Connects to each platform. An unreachable platform is retried in the background: the service starts without it. */
export async function connectMessengers(options: ConnectOptions): Promise<Messengers> {
  const { accesses, roots, allowLocalMedia, pool, log } = options;
  const media = { pool, allowLocalMedia, log };
  const connected = new Map<Channel, Messenger>();
  const statuses = new Map<Channel, BotStatus>();
  const timers = new Set<NodeJS.Timeout>();
  const configured = channels.filter((channel) => accesses[channel] !== undefined);

  async function connect(channel: Channel, access: PlatformAccess): Promise<void> {
    try {
      const messenger = await connectBot(platformOf(channel), { ...access, ...media });
      const watched = withStatus(messenger, (status) => statuses.set(channel, status));
      connected.set(channel, withCallMetrics(watched));
      statuses.set(channel, 'connected');
    } catch (err) {
      log.error({ err, channel }, 'cannot reach the messenger platform; retrying');
      const timer = setTimeout(() => {
        timers.delete(timer);
        void connect(channel, access);
      }, RETRY_MS);
      timers.add(timer);
    }
  }

  for (const channel of configured) await ensureBotPace(pool, sharedBotKey(channel));
  await Promise.all(
    configured.map(async (channel) => {
      const access = accesses[channel];
      if (access) await connect(channel, access);
    }),
  );
  const own = await createOwnBots({
    ...options,
    async connect(row, token, report) {
      const messenger = await connectBot(platformOf(row.channel), {
        ...ownAddress(roots, row),
        ...media,
        token,
      });
      return withCallMetrics(withStatus(messenger, report));
    },
  });
  reportSharedTokens(own, log, (bot) => connected.get(bot.channel)?.botId === bot.messenger.botId);

  return {
    get: (channel) => connected.get(channel) ?? null,
    configured,
    ofProject: (projectId, channel) =>
      own.ofProject(projectId, channel)?.messenger ?? connected.get(channel) ?? null,

    async reaching({ project_id, channel, bot }) {
      if (bot !== null) {
        if (own.byKey(bot) === null) await own.refreshForUnknown();
        const present = own.ofProject(project_id, channel);
        if (present) return present.messenger;
      }
      return connected.get(channel) ?? null;
    },

    async find(channel, bot) {
      if (bot === null || bot === sharedBotKey(channel)) {
        return { messenger: connected.get(channel) ?? null, isRemoved: false, projectId: null };
      }
      if (own.byKey(bot) === null) await own.refreshForUnknown();
      const found = own.byKey(bot);
      return {
        messenger: found?.messenger ?? null,
        isRemoved: found === null,
        projectId: found?.project_id ?? null,
      };
    },

    sharedStatus: (channel) => (configured.includes(channel) ? (statuses.get(channel) ?? 'away') : 'off'),

    isShared(channel, token, identity) {
      const shared = accesses[channel]?.token;
      if (shared === undefined) return false;
      const isSameBot = identity !== undefined && connected.get(channel)?.botId === identity.botId;
      const { botIn } = platformOf(channel);
      return isSameBot || botIn(shared) === botIn(token);
    },

    identify: (channel, token) =>
      platformOf(channel).identify({ token, apiRoot: rootOf(roots, channel).apiRoot }),
    own,
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      await own.stop();
    },
  };
}

function rootOf(roots: PlatformRoots, channel: Channel): PlatformRoot {
  const root = roots[channel];
  if (!root) throw new Error(`the messenger ${channel} has no settings`);
  return root;
}

function ownAddress(roots: PlatformRoots, { channel, bot, username }: OwnBotRow) {
  const { apiRoot, link } = rootOf(roots, channel);
  return {
    apiRoot,
    ...(link && { link: (start: string) => link(start, username) }),
    own: { botId: Number(bot.slice(bot.indexOf(':') + 1)), botName: username },
  };
}

/** The operator may choose a token for the shared bot that a project has connected before. */
function reportSharedTokens(own: OwnBots, log: Logger, isShared: (bot: OwnBot) => boolean): void {
  for (const bot of own.all().filter(isShared)) {
    log.error(
      { bot: bot.bot, project_id: bot.project_id },
      'a project’s own bot is also the shared bot: each receives only some of the updates',
    );
  }
}
