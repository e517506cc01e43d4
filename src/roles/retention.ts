import { retention as agenda } from '../base/agenda/queries';
import { retention as bots } from '../bots/queries/retention';
import { retention as broadcasts } from '../broadcasts/queries/retention';
import { retention as db, retentions } from '../db/retention';
import { retention as drip } from '../drip/queries/retention';
import { retention as events } from '../events/queries/retention';
import { retention as csvExports } from '../exports/queries';
import { retention as forms } from '../forms/queries/retention';
import { retention as helpdesk } from '../helpdesk/queries/retention';
import { retention as http } from '../http/queries';
import { retention as login } from '../login/queries/retention';
import { retention as messages } from '../messages/queries/retention';
import { retention as oidc } from '../oidc/queries/retention';
import { retention as projects } from '../projects/queries/retention';
import { retention as subscribers } from '../subscribers/queries/retention';
import { retention as templates } from '../templates/queries';
import { retention as tracked } from '../tracked/queries';
import { retention as webhooks } from '../webhooks/queries/retention';

/** Registers what ends the rows of every table, by room. Parts come before what they belong to. */
export function registerRetention(): void {
  const rooms = {
    events,
    webhooks,
    tracked,
    login,
    projects,
    oidc,
    messages,
    http,
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
