import { furtherEntries } from '../broadcasts/entries';
import { definitionNaming, definitionsWithTemplate } from '../broadcasts/queries/uses';
import { enrolByCauses } from '../drip/enrol';
import { countChains } from '../drip/queries/chains';
import { findOpenSteps } from '../drip/queries/steps';
import { chainNaming, chainsWithTemplate } from '../drip/uses';
import { deliveriesOfEvents } from '../events';
import { resumableRequests } from '../messages/abandoned';
import { labelUses } from '../subscribers/labels';
import { subscriberChangeHooks } from '../subscribers/on-change';
import { templateUses } from '../templates/uses';
import { deliveries } from '../webhooks/queries/fan-out';

/** Registers what lower rooms ask of higher ones. Every process calls it before it uses a domain. */
export function registerDomains(): void {
  deliveriesOfEvents.register(deliveries);
  subscriberChangeHooks.register(enrolByCauses);
  labelUses.register(definitionNaming, chainNaming);
  templateUses.register(definitionsWithTemplate, chainsWithTemplate);
  furtherEntries.register(countChains);
  resumableRequests.register(findOpenSteps);
}
