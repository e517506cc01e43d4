import { limits, plans } from '../../base/contract/limits';
import type { Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import type { Project } from './contract';
import { queueNotices } from './queries/notices';
import { beginGrace, chargeCredit, markExhausted, type Charge, type Charged } from './queries/credits';

type Account = Pick<Project, 'id' | 'plan' | 'purchased_credits'>;

/**
 * Charges one credit for a login and tells the project when its credits run low or out, in the same transaction. With the last
 * one the grace period begins: a project without credits is in it or behind it, whether or not anyone logs in. Credits
 * are charged one by one under the project's row lock, so each mark is met by exactly one charge.
 */
export async function chargeLogin(
  db: Db,
  project: Account,
  sessionId: string,
  graceHours: number,
): Promise<Charge> {
  const charged = await chargeCredit(db, project, sessionId, graceHours);
  const included = plans[project.plan].loginsPerMonth;
  if (charged.source === 'plan' && charged.used === Math.ceil(limits.creditsLowShare * included)) {
    await announce(db, project, 'credits.low', charged);
  }
  if (isLastCredit(charged, included)) {
    // A login without a credit has begun it itself.
    if (charged.source === 'plan' || charged.source === 'pack') await beginGrace(db, project.id);
    if (await markExhausted(db, project.id, charged.source)) {
      await announce(db, project, 'credits.exhausted', charged);
    }
  }
  return charged.source;
}

async function announce(
  db: Db,
  project: Account,
  event: 'credits.low' | 'credits.exhausted',
  charged: Charged,
): Promise<void> {
  const { id } = await emitEvent(db, project.id, event, dataOf(project, charged));
  await queueNotices(db, project.id, id);
}

function isLastCredit({ source, used, purchased }: Charged, included: number): boolean {
  if (source === 'plan') return used >= included && purchased === 0;
  return purchased === 0;
}

function dataOf({ plan }: Account, { used, purchased, at }: Charged) {
  return {
    plan,
    month: at.toISOString().slice(0, 'YYYY-MM'.length),
    used,
    included: plans[plan].loginsPerMonth,
    purchased,
    occurred_at: isoTime(at),
  };
}
