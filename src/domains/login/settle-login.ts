import type { PoolClient } from 'pg';
import { platformOf } from '../bots';
import type { NewEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import { chargeLogin, findProject, lockProject, upsertAccount, type Account } from '../projects';
import { presentSubscriber, subscribe, type SubscriberRecord } from '../subscribers';
import { flows } from './flows';
import { confirmSession, type Answer } from './queries/decisions';
import type { AuthSession } from './queries/sessions';
import { decline, expire, type SettleDeps, type SettledSession } from './decisions';

export async function settleNo(
  db: PoolClient,
  session: AuthSession,
  deps: SettleDeps,
): Promise<SettledSession> {
  const project = await findProject(db, session.project_id);
  return project?.active ? decline(db, session, 'user', deps) : expire(db, session.id);
}

export async function settleYes(
  db: PoolClient,
  session: AuthSession,
  answer: Answer,
  deps: SettleDeps,
): Promise<SettledSession> {
  const { config, cipher } = deps;
  const { channel, platform_user_id, bot, lang } = session;
  if (!channel || !platform_user_id || !lang) {
    throw new Error('the session was answered before a user opened its link');
  }
  const project = await lockProject(db, session.project_id);
  if (!project.active) return expire(db, session.id);
  const user = {
    channel,
    platform_user_id,
    chat_id: platformOf(channel).chatOf(platform_user_id),
    bot,
    lang,
    first_name: answer.first_name,
    username: answer.username,
  };
  if (project.system) return signInToDashboard(db, session.id, user, config);
  const charge = await chargeLogin(db, project, session.id, config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, session, 'billing_blocked', deps);

  const { collector, emitsCompleted } = flows[session.flow];
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const completed = (by: SubscriberRecord): NewEvent[] => {
    if (!emitsCompleted || session.state === null) return [];
    const data = {
      ...presentSubscriber(by, format),
      state: session.state,
      auth_time: isoTime(answer.received_at),
    };
    return [{ name: 'auth.completed', data }];
  };
  const { subscriber } = await subscribe(db, project.id, user, format, {}, completed);
  const code = randomToken256();
  const { codeLifeMs } = await confirmSession(db, session.id, {
    subscriberId: subscriber.id,
    codeHash: sha256(code),
    codeSealed: collector === 'provider' ? null : cipher.encrypt(code, 'auth_code', session.id),
    codeTtlSeconds: config.HERALD_CODE_TTL_SECONDS,
  });
  return { status: 'confirmed', reason: null, waitMs: 0, codeLifeMs };
}

/**
 * Herald's own login: it costs nothing and subscribes to nothing. The browser's cookie is enough, so that the code
 * is never given out.
 */
async function signInToDashboard(
  db: PoolClient,
  sessionId: string,
  user: Omit<Account, 'id'>,
  { HERALD_CODE_TTL_SECONDS: seconds }: SettleDeps['config'],
): Promise<SettledSession> {
  await upsertAccount(db, user);
  const { codeLifeMs } = await confirmSession(db, sessionId, {
    subscriberId: null,
    codeHash: sha256(randomToken256()),
    codeSealed: null,
    codeTtlSeconds: seconds,
  });
  return { status: 'confirmed', reason: null, waitMs: 0, codeLifeMs };
}
