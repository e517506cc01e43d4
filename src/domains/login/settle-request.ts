import type { PoolClient } from 'pg';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { chargeLogin, lockProject } from '../projects';
import { notifySession, type Answer } from './queries/decisions';
import { approveRequest, bindRequest, findAskedSubscriber } from './queries/requests';
import type { AuthSession } from './queries/sessions';
import { announceDecision, decline, expire, type SettleDeps, type SettledSession } from './decisions';
import { settleYes } from './settle-login';

/** An approval is decided by the one who answered first; with the purpose `login` it then is a login like any other. */
export async function settleRequest(
  db: PoolClient,
  request: AuthSession,
  answer: Answer,
  deps: SettleDeps,
): Promise<SettledSession> {
  // A subscriber is removed under the project's lock, so the one who is found here stays until the commit.
  const project = await lockProject(db, request.project_id);
  const answered = project.active ? await bindAnswerer(db, request, answer) : null;
  if (!answered) return expire(db, request.id);
  if (answer.answer === 'no') return decline(db, answered, 'user', deps);
  if (answered.purpose === 'login') return settleYes(db, answered, answer, deps);
  const charge = await chargeLogin(db, project, answered.id, deps.config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, answered, 'billing_blocked', deps);
  await approve(db, answered, deps.config.HERALD_SUBSCRIBER_ID_FORMAT);
  return { status: 'consumed', reason: null, waitMs: 0, codeLifeMs: 0 };
}

/** Records who answered a request. Null if that subscriber was removed. */
async function bindAnswerer(
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
async function approve(db: PoolClient, request: AuthSession, format: SubscriberIdFormat): Promise<void> {
  const decidedAt = await approveRequest(db, request.id);
  notifySession(db, request);
  await announceDecision(db, request, 'auth.approved', decidedAt, format);
}
