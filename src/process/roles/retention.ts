import { retention as agenda } from '../../base/agenda/queries';
import { retention as bots } from '../../domains/bots/queries/retention';
import { retention as broadcasts } from '../../domains/broadcasts/queries/retention';
import { retention as db, retentions } from '../../base/db/retention';
import { retention as drip } from '../../domains/drip/queries/retention';
import { retention as events } from '../../domains/events/queries/retention';
import { retention as csvExports } from '../../domains/exports/queries';
import { retention as forms } from '../../domains/forms/queries/retention';
import { retention as helpdesk } from '../../domains/helpdesk/queries/retention';
import { retention as http } from '../../base/http/queries';
import { retention as login } from '../../domains/login/queries/retention';
import { retention as messages } from '../../domains/messages/queries/retention';
import { retention as oidc } from '../../domains/oidc/queries/retention';
import { retention as projects } from '../../domains/projects/queries/retention';
import { retention as recurring } from '../../domains/recurring/queries/retention';
import { retention as scheduled } from '../../domains/scheduled/queries/retention';
import { retention as subscribers } from '../../domains/subscribers/queries/retention';
import { retention as templates } from '../../domains/templates/queries';
import { retention as webhooks } from '../../domains/webhooks/queries/retention';

/** Registers how the rows of every table are deleted, by room. Rows come before those that they belong to. */
export function registerRetention(): void {
  const rooms = {
    events,
    webhooks,
    login,
    projects,
    oidc,
    messages,
    http,
    scheduled,
    recurring,
    broadcasts,
    drip,
    forms,
    helpdesk,
    subscribers,
    bots,
    templates,
    exports: csvExports,
    agenda,
    db,
  };
  retentions.register(...Object.entries(rooms).map(([room, tables]) => ({ room, tables })));
}
