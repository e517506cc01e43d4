import type pg from 'pg';
import { noteChange } from '../db/changes';
import type { Cipher } from '../lib/cipher';
import type { Logger } from '../lib/log';
import type { Attempter, AttemptResult } from './attempt';
import { adaptAfter } from './attempt-outcome';
import type { DeliveryLane } from './contract';
import { openHeaders } from './own-headers';
import { reportAttempt, type ReportedOutcome } from './report-attempt';
import type { AttemptVerdict } from './retry-schedule';
import { webhookSecretPurpose } from './secret-purpose';

/** An attempt that a lane has claimed. */
export interface ClaimedAttempt {
  project_id: string;
  endpoint_id: string;
  concurrency: number;
  event_name: string;
  test: boolean;
  url: string;
  /** Newest first. */
  sealed_secrets: string[] | null;
  headers_sealed: string | null;
  body: string | null;
  requested: boolean;
}

export type PostClaimed = (deliveryId: string, claim: ClaimedAttempt) => Promise<AttemptResult>;

/** Maximum number of decrypted secrets in the cache. */
const MAX_CACHED_SECRETS = 1_000;

/** Decrypts the secrets and headers of a claimed attempt and sends its POST. Both lanes use it. */
export function createClaimedPost({
  pool,
  cipher,
  attempter,
}: {
  pool: pg.Pool;
  cipher: Cipher;
  attempter: Attempter;
}): PostClaimed {
  const openSecret = createSecretOpener(cipher);
  return (deliveryId, claim) => {
    noteChange(pool, 'deliveries', claim.project_id);
    return attempter.attempt({
      url: claim.url,
      deliveryId,
      event: claim.event_name,
      test: claim.test,
      body: claim.body ?? '',
      secrets: (claim.sealed_secrets ?? []).map((sealed) => openSecret(sealed, claim.endpoint_id)),
      ownHeaders: openHeaders(cipher, claim.headers_sealed, claim.endpoint_id),
    });
  };
}

/** After the result is committed: adapts the endpoint's concurrency and reports the attempt. */
export async function concludeAttempt(
  deps: { pool: pg.Pool; log: Logger },
  { deliveryId, number, lane }: { deliveryId: string; number: number; lane: DeliveryLane },
  claim: ClaimedAttempt,
  { verdict, result, outcome }: { verdict: AttemptVerdict; result: AttemptResult; outcome: ReportedOutcome },
): Promise<void> {
  await adaptAfter(deps, claim, verdict, result);
  const attempt = {
    delivery_id: deliveryId,
    endpoint_id: claim.endpoint_id,
    project_id: claim.project_id,
    event: claim.event_name,
    attempt: number,
    lane,
    requested: claim.requested,
  };
  await reportAttempt(deps, attempt, verdict, result, outcome);
}

/** Decrypts secrets with a cache, because every attempt needs those of its endpoint. */
function createSecretOpener(cipher: Cipher): (sealed: string, endpointId: string) => string {
  const opened = new Map<string, string>();
  return (sealed, endpointId) => {
    const key = `${endpointId}/${sealed}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    if (opened.size >= MAX_CACHED_SECRETS) opened.clear();
    const secret = cipher.decrypt(sealed, webhookSecretPurpose, endpointId);
    opened.set(key, secret);
    return secret;
  };
}
