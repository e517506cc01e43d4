import pg from 'pg';
import type { Core } from '../../src/base/core';
import type { RouteSpec } from '../../src/base/http/route';
import type { SessionWaiter } from '../../src/domains/login/session-waiter';
import { createRoutes } from '../../src/process/roles/api';
import { registerDomains } from '../../src/process/roles/domains';

/** Stands for every part of the service that routes use only once they are called. */
const unused: unknown = new Proxy(() => undefined, { get: () => unused, apply: () => unused });

/** The specs of all routes, without a running service: a pool connects only when it is used. */
export function routeSpecs(): RouteSpec[] {
  const pool = new pg.Pool();
  const core = {
    config: { HERALD_SUBSCRIBER_ID_FORMAT: 'uuid' },
    pools: { login: pool, requests: pool, background: pool },
    pool,
    log: unused,
    cipher: unused,
    notifications: unused,
    client: unused,
    queues: unused,
    messengers: unused,
    turns: unused,
    publicUrl: unused,
    temporalUiUrl: null,
  } as unknown as Core;
  registerDomains();
  return createRoutes(core, { parts: [], waiter: unused as SessionWaiter }).map(({ spec }) => spec);
}
