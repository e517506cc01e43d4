import { channels, type Channel } from '../contract/common';
import type { Logger } from '../lib/log';
import { withCallMetrics } from './call-metrics';
import { createMaxMessenger } from './max/messenger';
import type { Messenger, MessengerOptions } from './messenger';
import { createTelegramMessenger } from './telegram/messenger';

export interface PlatformAccess {
  token: string;
  apiRoot: string;
  /** Builds links to the simulator's page instead of the messenger's own. */
  link?: (start: string) => string;
}

export type PlatformAccesses = Partial<Record<Channel, PlatformAccess>>;

/** The bots of the installation. `get` returns null without a token, or until the platform has responded. */
export interface Messengers {
  get(channel: Channel): Messenger | null;
  /** Channels that have a token. */
  configured: Channel[];
  stop(): void;
}

const RETRY_MS = 5_000;

const create: Record<Channel, (options: MessengerOptions) => Promise<Messenger>> = {
  telegram: createTelegramMessenger,
  max: createMaxMessenger,
};

/** Connects to each platform. An unreachable platform is retried in the background: the service starts without it. */
export async function connectMessengers(
  accesses: PlatformAccesses,
  log: Logger,
  media: Pick<MessengerOptions, 'pool' | 'allowLocalMedia'> = {},
): Promise<Messengers> {
  const connected = new Map<Channel, Messenger>();
  const timers = new Set<NodeJS.Timeout>();
  const configured = channels.filter((channel) => accesses[channel] !== undefined);

  async function connect(channel: Channel, access: PlatformAccess): Promise<void> {
    try {
      connected.set(channel, withCallMetrics(await create[channel]({ ...access, ...media, log })));
    } catch (err) {
      log.error({ err, channel }, 'cannot reach the messenger platform; retrying');
      const timer = setTimeout(() => {
        timers.delete(timer);
        void connect(channel, access);
      }, RETRY_MS);
      timers.add(timer);
    }
  }

  await Promise.all(
    configured.map(async (channel) => {
      const access = accesses[channel];
      if (access) await connect(channel, access);
    }),
  );
  return {
    get: (channel) => connected.get(channel) ?? null,
    configured,
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
