import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { findRecurringStart, RECURRING } from './queries/recurring';

/** Due after a request has changed the row, and at the row's next occurrence. */
export function recurringKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: RECURRING,
    taskQueue: core.queues.broadcasts,
    workflowId: workflowIds.recurring,
    find: (id) => findRecurringStart(core.pool, id),
  });
}
