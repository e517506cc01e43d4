import type { Core } from '../src/core';

/** What each task queue's worker can do. Keys are the task queues of src/temporal/names.ts. */
export interface Activities {
  logins: object;
  deliveries: object;
  broadcasts: object;
}

export function createActivities(_core: Core): Activities {
  return { logins: {}, deliveries: {}, broadcasts: {} };
}
