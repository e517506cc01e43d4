import type { Channel } from '../contract/common';
import { channels } from '../contract/common';
import type { Logger } from '../lib/log';
import { createMaxMessenger } from './max/messenger';
import { measured } from './measured';
import type { Messenger } from './messenger';
import { createTelegramMessenger } from './telegram/messenger';

export interface PlatformAccess {
  token: string;
  apiRoot: string;
  /** Where a link leads instead of the messenger's own address: the simulator's page. */
  link?: (start: string) => string;
}

export type PlatformAccesses = Partial<Record<Channel, PlatformAccess>>;

/** The bots of the installation. A channel is null while it has no token or its platform has not answered yet. */
export interface Messengers {
  get(channel: Channel): Messenger | null;
  /** Channels that have a token. */
  configured: Channel[];
  stop(): void;
}

const RETRY_MS = 5_000;

const create: Record<Channel, (access: PlatformAccess) => Promise<Messenger>> = {
  telegram: createTelegramMessenger,
  max: createMaxMessenger,
};

/** Asks each platform who its bot is. One that is away is asked again in the background: the service starts without it. */
export async function connectMessengers(accesses: PlatformAccesses, log: Logger): Promise<Messengers> {
  const connected = new Map<Channel, Messenger>();
  const timers = new Set<NodeJS.Timeout>();
  const configured = channels.filter((channel) => accesses[channel] !== undefined);

  async function connect(channel: Channel, access: PlatformAccess): Promise<void> {
    try {
      connected.set(channel, measured(await create[channel](access)));
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
