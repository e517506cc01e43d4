import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { findScheduledStart, SCHEDULED } from './queries/scheduled';

/** Due after an entry was created, changed or cancelled, and at its time. */
export function scheduledKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: SCHEDULED,
    taskQueue: core.queues.campaigns,
    workflowId: workflowIds.scheduled,
    find: (id) => findScheduledStart(core.pool, id),
  });
}
