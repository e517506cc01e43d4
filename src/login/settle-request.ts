import type { PoolClient } from 'pg';
import { formatSubscriberId, type SubscriberIdFormat } from '../contract/ids';
import { emitEvent } from '../events';
import { isoTime } from '../lib/iso-time';
import { findSubscriber } from '../subscribers';
import { notifySession, type Answer } from './queries/decisions';
import { approveRequest, bindRequest, findAskedSubscriber } from './queries/requests';
import type { AuthSession } from './queries/sessions';

/** Records who answered a request. Null if that subscriber was removed. */
export async function bindAnswerer(
  db: PoolClient,
  request: AuthSession,
  { prompt_id }: Answer,
): Promise<AuthSession | null> {
  const who = await findAskedSubscriber(db, request.id, prompt_id);
  if (!who) return null;
  await bindRequest(db, request.id, who);
  const { channel, platform_user_id, bot, lang, subscriber_id } = who;
  return { ...request, channel, platform_user_id, bot, lang, subscriber_id };
}

/** Ends an approval with Yes, and tells the project. */
export async function approve(
  db: PoolClient,
  request: AuthSession,
  format: SubscriberIdFormat,
): Promise<void> {
  const decidedAt = await approveRequest(db, request.id);
  await notifySession(db, request);
  await announceDecision(db, request, 'auth.approved', decidedAt, format);
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
