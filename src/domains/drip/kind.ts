import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { DRIP, findEnrolmentStart } from './queries/enrolments';

/** Due after an enrolment was begun, cancelled, resumed or moved to another version, and at the time of its next step. */
export function dripKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: DRIP,
    taskQueue: core.queues.campaigns,
    workflowId: workflowIds.drip,
    find: (id) => findEnrolmentStart(core.pool, id),
  });
}
