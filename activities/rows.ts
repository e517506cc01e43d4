import { cancellationSignal } from '@temporalio/activity';
import type { Advanced, RowInput, RowState } from '../src/base/agenda';
import type { Core } from '../src/base/core';
import { advanceEnrolment } from '../src/domains/drip/advance';
import { runRoutes } from '../src/domains/forms/run-routes';
import { advanceTicket } from '../src/domains/helpdesk/advance';
import { runDue } from '../src/domains/recurring';
import { fireScheduled } from '../src/domains/scheduled';
import { importPage } from '../src/domains/subscribers/import-page';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

const HEARTBEAT_MS = 5_000;

/** The activity of a row's workflow, named as its kind. It is idempotent: the rows show what is left to do. */
function ofRow(advance: (id: string) => Promise<Advanced>) {
  return reported(async ({ id }: RowInput): Promise<RowState> => {
    const { nextAt, ...state } = await withHeartbeats(HEARTBEAT_MS, () => advance(id));
    return { ...state, nextAt: nextAt?.toISOString() ?? null };
  });
}

/** For the task queue `broadcasts`. */
export function createBulkActivities({ stopping, ...core }: Core & { stopping: AbortSignal }) {
  return {
    recurring: ofRow((id) => runDue(core, id)),
    importSubscribers: ofRow((id) => importPage(core, id, AbortSignal.any([stopping, cancellationSignal()]))),
  };
}

/** For the task queue `campaigns`. */
export function createCampaignActivities(core: Core) {
  return {
    scheduled: ofRow((id) => fireScheduled(core, id)),
    drip: ofRow((id) => advanceEnrolment(core, id)),
    ticket: ofRow((id) => advanceTicket(core, id)),
    form: ofRow((id) => runRoutes(core, id)),
  };
}
