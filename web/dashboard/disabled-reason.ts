import type { EndpointDisabledReason } from '../../src/base/contract/common';
import { limits } from '../../src/base/contract/limits';
import { t } from './texts';

/** Why Herald disabled an endpoint, in words. */
export const disabledReason = (reason: EndpointDisabledReason): string =>
  t.disabledReason(reason, limits.webhookDisableAfterHours);
