import { normalContent, type ContentAsGiven } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { storeContent, type StoredContent } from '../messages';
import { isBillingBlocked } from '../projects';
import type { Audience } from './contract';
import { countAudience, type AudienceCount } from './queries/broadcasts';

interface Planned {
  id: string;
  project_id: string;
  content: ContentAsGiven;
  audience: Audience;
}

/** A broadcast that can be sent, or the reason why it cannot. */
export type Prepared =
  | { reason: null; content: StoredContent; counted: AudienceCount }
  | { reason: 'billing_blocked' | 'invalid_message' | 'empty_audience' };

/** The template's current version, the media and the audience of a planned broadcast, as they are at its time. */
export async function prepare(
  { pool, config, log }: Pick<Core, 'pool' | 'config' | 'log'>,
  { id, project_id, content: given, audience }: Planned,
): Promise<Prepared> {
  const isBlocked = await isBillingBlocked(pool, project_id, config.HERALD_GRACE_HOURS);
  if (isBlocked) return { reason: 'billing_blocked' };
  try {
    const policy = { allowLocal: config.allowLocalWebhooks };
    const content = await storeContent(pool, project_id, normalContent(given), policy);
    const counted = await countAudience(pool, project_id, audience);
    if (counted.active === 0) return { reason: 'empty_audience' };
    if (counted.active > limits.broadcastRecipients) return { reason: 'invalid_message' };
    return { reason: null, content, counted };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Its media or template has changed since it was accepted.
    log.warn({ err: error, id }, 'a planned broadcast can no longer be sent');
    return { reason: 'invalid_message' };
  }
}
