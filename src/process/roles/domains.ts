import { projectText } from '../../domains/bots/project-text';
import { personalData as ofBots } from '../../domains/bots/queries/personal-data';
import { recipientTimes } from '../../domains/broadcasts/audience-job';
import { openEntries } from '../../domains/broadcasts/entries';
import { broadcastEndHooks } from '../../domains/broadcasts/on-end';
import { broadcastMessages } from '../../domains/broadcasts/queries/messages';
import { countOpenJobs } from '../../domains/broadcasts/queries/operators';
import { personalData as ofBroadcasts } from '../../domains/broadcasts/queries/personal-data';
import { countUnsubscribed } from '../../domains/broadcasts/queries/stats';
import { enrolByCauses } from '../../domains/drip/enrol';
import { countChains } from '../../domains/drip/queries/chains';
import { countActiveEnrolments } from '../../domains/drip/queries/operators';
import { personalData as ofDrip } from '../../domains/drip/queries/personal-data';
import { trackedEventsInUse } from '../../domains/drip/queries/retention';
import { findOpenSteps } from '../../domains/drip/queries/steps';
import { chainNaming, chainsWithTemplate } from '../../domains/drip/uses';
import { deliveriesOfEvents } from '../../domains/events';
import { personalData as ofEvents } from '../../domains/events/queries/personal-data';
import { countRunning } from '../../domains/forms/queries/operators';
import { personalData as ofForms } from '../../domains/forms/queries/personal-data';
import { findOpenRoutes } from '../../domains/forms/queries/routes';
import { formNaming, formsWithTemplate } from '../../domains/forms/uses';
import { publishRefusals } from '../../domains/events/publish';
import { refuseTicketEvents } from '../../domains/helpdesk/publishing';
import { personalData as ofHelpdesk } from '../../domains/helpdesk/queries/personal-data';
import { forgetMember } from '../../domains/helpdesk/sweeps';
import { expireOpenSessions } from '../../domains/login/expire-open';
import { clientNames } from '../../domains/login/log';
import { personalData as ofLogin } from '../../domains/login/queries/personal-data';
import { resumableRequests } from '../../domains/messages/abandoned';
import { personalData as ofMessages } from '../../domains/messages/queries/personal-data';
import { furtherMessages } from '../../domains/messages/store';
import { clientNamesOf } from '../../domains/oidc/queries/logins';
import { personalData as ofOidc } from '../../domains/oidc/queries/personal-data';
import { stoppedWork } from '../../domains/projects';
import { personalData as ofProjects } from '../../domains/projects/queries/personal-data';
import { memberRemovals } from '../../domains/projects/team/members';
import { countActiveRecurring } from '../../domains/recurring/queries/operators';
import { countOpenRecurring } from '../../domains/recurring/queries/recurring';
import { recurringNaming, recurringWithTemplate } from '../../domains/recurring/uses';
import { endRunWithJob } from '../../domains/recurring/runs';
import { endWithJob } from '../../domains/scheduled/fire';
import { countWaitingScheduled } from '../../domains/scheduled/queries/operators';
import { personalData as ofScheduled } from '../../domains/scheduled/queries/personal-data';
import {
  countOpenScheduled,
  findOpenScheduled,
  findRecipientTimes,
} from '../../domains/scheduled/queries/scheduled';
import { scheduledNaming, scheduledWithTemplate } from '../../domains/scheduled/uses';
import { labelUses } from '../../domains/subscribers/labels';
import { subscriberChangeHooks } from '../../domains/subscribers/on-change';
import { personalData } from '../../domains/subscribers/personal-data';
import { renderProjectText } from '../../domains/templates/project-texts';
import { templateUses } from '../../domains/templates/uses';
import { personalData as ofTracked, trackedEventUses } from '../../domains/subscribers/tracked/queries';
import { deliveries } from '../../domains/webhooks/queries/fan-out';
import { personalData as ofWebhooks } from '../../domains/webhooks/queries/personal-data';
import { registerRetention } from './retention';

/** Registers what lower rooms ask of higher ones. Every process calls it before it uses a domain. */
export function registerDomains(): void {
  deliveriesOfEvents.register(deliveries);
  subscriberChangeHooks.register(enrolByCauses, countUnsubscribed);
  // A removal goes through them in this order: `oidc` finds its rows by the sessions that `login` erases.
  personalData.register(
    ofOidc,
    ofLogin,
    ofScheduled,
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
  labelUses.register(scheduledNaming, recurringNaming, chainNaming, formNaming);
  templateUses.register(scheduledWithTemplate, recurringWithTemplate, chainsWithTemplate, formsWithTemplate);
  openEntries.register(countOpenScheduled, countOpenRecurring, countChains);
  broadcastEndHooks.register(endWithJob, endRunWithJob);
  recipientTimes.register(findRecipientTimes);
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
    countOpenJobs,
    async (pool, projectId) => ({ scheduled: await countWaitingScheduled(pool, projectId) }),
    async (pool, projectId) => ({ recurring: await countActiveRecurring(pool, projectId) }),
    async (pool, projectId) => ({ enrolments: await countActiveEnrolments(pool, projectId) }),
    async (pool, projectId) => ({ submissions: await countRunning(pool, projectId) }),
  );
}
