import { createPool, type PoolOptions } from './pool';
import type { SharedPool } from './project-share';

/** What connections are kept for, so that neither requests nor background work can leave none for logins. */
export type Purpose = 'login' | 'requests' | 'background';

export interface Pools extends Record<Purpose, SharedPool> {
  end(): Promise<void>;
}

/** What the work of each role needs. The transactions of a login run in every role. */
const purposesOfRoles = {
  api: ['login', 'requests'],
  worker: ['login', 'background'],
  bots: ['login'],
} as const satisfies Record<string, Purpose[]>;

/** LISTEN in every process, and leader election in one that runs bots. */
const OTHER_CONNECTIONS = 2;

export interface PoolsOptions extends Pick<
  PoolOptions,
  'url' | 'timeLimits' | 'projectShare' | 'transactionPooler' | 'poolerPrepares' | 'outage'
> {
  roles: readonly (keyof typeof purposesOfRoles)[];
  /** Connections of the process, all together. */
  size: number;
}

/** Equal parts for the purposes of the process's roles. Where there is none for a purpose, its work has another one's. */
export function createPools({ roles, size, projectShare, ...options }: PoolsOptions): Pools {
  const purposes = new Set<Purpose>(roles.flatMap((role) => purposesOfRoles[role]));
  const max = Math.floor((size - OTHER_CONNECTIONS) / purposes.size);
  const create = (purpose: Purpose, share?: number) =>
    createPool({
      ...options,
      max,
      projectShare: share && Math.min(share, Math.max(1, max - 1)),
      applicationName: `herald ${purpose}`,
    });
  const login = create('login', projectShare);
  const requests = purposes.has('requests') ? create('requests', projectShare) : login;
  const background = purposes.has('background') ? create('background') : requests;
  return {
    login,
    requests,
    background,
    async end() {
      await Promise.all([...new Set([login, requests, background])].map((pool) => pool.end()));
    },
  };
}
