import { projectText } from '../bots/project-text';
import { personalData as ofBots } from '../bots/queries/personal-data';
import { furtherEntries } from '../broadcasts/entries';
import { broadcastMessages } from '../broadcasts/queries/messages';
import { countOpen } from '../broadcasts/queries/operators';
import { personalData as ofBroadcasts } from '../broadcasts/queries/personal-data';
import { countUnsubscribed } from '../broadcasts/queries/stats';
import { definitionNaming, definitionsWithTemplate } from '../broadcasts/queries/uses';
import { findOpenScheduled } from '../broadcasts/scheduled/queries';
import { enrolByCauses } from '../drip/enrol';
import { countChains } from '../drip/queries/chains';
import { countActiveEnrolments } from '../drip/queries/operators';
import { personalData as ofDrip } from '../drip/queries/personal-data';
import { trackedEventsInUse } from '../drip/queries/retention';
import { findOpenSteps } from '../drip/queries/steps';
import { chainNaming, chainsWithTemplate } from '../drip/uses';
import { deliveriesOfEvents } from '../events';
import { personalData as ofEvents } from '../events/queries/personal-data';
import { countRunning } from '../forms/queries/operators';
import { personalData as ofForms } from '../forms/queries/personal-data';
import { findOpenRoutes } from '../forms/queries/routes';
import { formNaming, formsWithTemplate } from '../forms/uses';
import { publishRefusals } from '../events/publish';
import { refuseTicketEvents } from '../helpdesk/publishing';
import { personalData as ofHelpdesk } from '../helpdesk/queries/personal-data';
import { forgetMember } from '../helpdesk/sweeps';
import { expireOpenSessions } from '../login/expire-open';
import { clientNames } from '../login/log';
import { personalData as ofLogin } from '../login/queries/personal-data';
import { resumableRequests } from '../messages/abandoned';
import { personalData as ofMessages } from '../messages/queries/personal-data';
import { furtherMessages } from '../messages/store';
import { clientNamesOf } from '../oidc/queries/logins';
import { personalData as ofOidc } from '../oidc/queries/personal-data';
import { stoppedWork } from '../projects';
import { personalData as ofProjects } from '../projects/queries/personal-data';
import { memberRemovals } from '../projects/team/members';
import { labelUses } from '../subscribers/labels';
import { subscriberChangeHooks } from '../subscribers/on-change';
import { personalData } from '../subscribers/personal-data';
import { renderProjectText } from '../templates/project-texts';
import { templateUses } from '../templates/uses';
import { personalData as ofTracked, trackedEventUses } from '../tracked/queries';
import { deliveries } from '../webhooks/queries/fan-out';
import { personalData as ofWebhooks } from '../webhooks/queries/personal-data';
import { registerRetention } from './retention';

/** Registers what lower rooms ask of higher ones. Every process calls it before it uses a domain. */
export function registerDomains(): void {
  deliveriesOfEvents.register(deliveries);
  subscriberChangeHooks.register(enrolByCauses, countUnsubscribed);
  // A removal goes through them in this order: `oidc` finds its rows by the sessions that `login` erases.
  personalData.register(
    ofOidc,
    ofLogin,
    ofBroadcasts,
    ofDrip,
    ofForms,
    ofHelpdesk,
    ofMessages,
    ofTracked,
    ofWebhooks,
    ofEvents,
    ofProjects,
    ofBots,
  );
  labelUses.register(definitionNaming, chainNaming, formNaming);
  templateUses.register(definitionsWithTemplate, chainsWithTemplate, formsWithTemplate);
  furtherEntries.register(countChains);
  resumableRequests.register(findOpenSteps, findOpenRoutes, findOpenScheduled);
  trackedEventUses.register(trackedEventsInUse);
  registerRetention();
  clientNames.register(clientNamesOf);
  projectText.register(renderProjectText);
  publishRefusals.register(refuseTicketEvents);
  memberRemovals.register(forgetMember);
  furtherMessages.register(broadcastMessages);
  stoppedWork.register(
    expireOpenSessions,
    countOpen,
    async (pool, projectId) => ({ enrolments: await countActiveEnrolments(pool, projectId) }),
    async (pool, projectId) => ({ submissions: await countRunning(pool, projectId) }),
  );
}
