import type { Core } from '../../base/core';
import type { Part } from '../../base/http/health';
import { within } from '../../base/temporal/within';

/** Shorter than the limit of a check, so that no call outlives it. */
const TEMPORAL_CHECK_MS = 1_500;

/**
 * The API stores what Temporal has to do and works without it; a process that only runs workflows does not. So an outage
 * of Temporal must not take every API process out of its load balancer.
 */
export function readinessParts({ pools, client, config: { roles } }: Core): Part[] {
  return [
    { name: 'database', required: true, check: async () => void (await pools.login.query('SELECT 1')) },
    {
      name: 'temporal',
      required: roles.includes('worker') && !roles.includes('api'),
      check: async () =>
        void (await within(client, TEMPORAL_CHECK_MS, () => client.workflowService.getSystemInfo({}))),
    },
  ];
}
