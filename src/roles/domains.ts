import { enrolByCauses } from '../drip/enrol';
import { subscriberChangeHooks } from '../subscribers/on-change';

/** Registers what lower rooms ask of higher ones. Every process calls it before it uses a domain. */
export function registerDomains(): void {
  subscriberChangeHooks.register(enrolByCauses);
}
