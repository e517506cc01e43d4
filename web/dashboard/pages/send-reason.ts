import type { JobStats } from '../api';
import { t } from '../texts';

type Reason = JobStats['reasons'][number]['reason'];

/** Why a message was not sent, in words. */
export function reasonText(reason: Reason): string {
  return reason === 'subscriber_not_found' ? t.results.unknownPerson : t.sendReasons[reason];
}
