import type { PoolClient } from 'pg';
import type { Config } from '../../base/config';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { emitEvent } from '../events';
import type { Cipher } from '../../base/lib/cipher';
import { isoTime } from '../../base/lib/iso-time';
import { findSubscriber } from '../subscribers';
import type { DeclineReason, SessionStatus } from './contract';
import { endSession } from './queries/decisions';
import type { AuthSession } from './queries/sessions';

export interface SettleDeps {
  config: Pick<Config, 'HERALD_CODE_TTL_SECONDS' | 'HERALD_GRACE_HOURS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  cipher: Cipher;
}

export interface SettledSession {
  status: SessionStatus;
  reason: DeclineReason | null;
  /** While pending: when to settle again. */
  waitMs: number;
  /** Once confirmed: time until the code expires. */
  codeLifeMs: number;
}

export async function expire(db: PoolClient, sessionId: string): Promise<SettledSession> {
  await endSession(db, sessionId, 'expired', null);
  return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
}

export async function decline(
  db: PoolClient,
  session: AuthSession,
  reason: 'user' | 'billing_blocked',
  { config }: SettleDeps,
): Promise<SettledSession> {
  const { decidedAt } = await endSession(db, session.id, 'declined', reason);
  if (session.purpose === 'approval') {
    await announceDecision(db, session, 'auth.declined', decidedAt, config.HERALD_SUBSCRIBER_ID_FORMAT);
  }
  return { status: 'declined', reason, waitMs: 0, codeLifeMs: 0 };
}

export async function announceDecision(
  db: PoolClient,
  { id, project_id, subscriber_id, message }: AuthSession,
  event: 'auth.approved' | 'auth.declined',
  decidedAt: Date,
  format: SubscriberIdFormat,
): Promise<void> {
  const subscriber = subscriber_id && (await findSubscriber(db, project_id, subscriber_id));
  if (!subscriber) return;
  await emitEvent(db, project_id, event, {
    request_id: id,
    subscriber_id: formatSubscriberId(subscriber.id, format),
    channel: subscriber.channel,
    external_id: subscriber.external_id,
    message: message ?? '',
    decided_at: isoTime(decidedAt),
  });
}
