import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { findSubmissionStart, FORM } from './queries/submissions';

/** Due after the commit of a submission that takes routes, and when a messenger that was unavailable is tried again. */
export function formKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: FORM,
    taskQueue: core.queues.campaigns,
    workflowId: workflowIds.form,
    find: (id) => findSubmissionStart(core.pool, id),
  });
}
