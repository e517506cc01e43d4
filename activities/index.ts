import type { Core } from '../src/base/core';
import type { Attempter } from '../src/domains/webhooks/attempt';
import type { FastEndpoints } from '../src/domains/webhooks/fast-endpoints';
import { createAuthSessionActivities } from './auth-session';
import { createBroadcastActivities } from './broadcast';
import { createDeliveryActivities } from './deliver-webhook';
import { distinct } from './distinct';
import { createBulkActivities, createCampaignActivities } from './rows';

/** The activities of each task queue. Keys are the task queues of src/base/temporal/names.ts. */
export interface Activities {
  logins: object;
  deliveries: object;
  broadcasts: object;
  campaigns: object;
}

export interface ActivityDeps extends Core {
  attempter: Attempter;
  fastEndpoints: FastEndpoints;
  /** Aborted on shutdown: long activities end early. */
  stopping: AbortSignal;
}

export function createActivities(deps: ActivityDeps): Activities {
  return {
    logins: createAuthSessionActivities({ ...deps, pool: deps.pools.login }),
    deliveries: createDeliveryActivities(deps),
    broadcasts: distinct(createBroadcastActivities(deps), createBulkActivities(deps)),
    campaigns: createCampaignActivities(deps),
  };
}
