import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { AuthSessionActivities, SessionRef } from '../activities/auth-session';
import type { SessionStatus } from '../src/domains/login/contract';
import { flows } from '../src/domains/login/flows';
import type { AuthSessionInput } from '../src/domains/login/workflow-input';
import type { SettledSession } from '../src/domains/login/decisions';
import { searchAttributes, signals } from '../src/base/temporal/names';
import { OWN_FAULT_RETRY } from './own-fault-retry';

export interface AuthSessionResult {
  status: 'consumed' | 'expired' | 'declined';
  reason: string;
}

/** The row has changed: an answer is stored, or the session was cancelled. */
const changed = defineSignal(signals.changed);
/** The one-time code was redeemed. If the signal is lost, the code's timer ends the workflow. */
const redeemed = defineSignal(signals.redeemed);

/**
 * Short transactions run inside the workflow task, which saves events and a round trip. They are tried there once; an
 * ordinary activity then waits for whatever is unavailable.
 */
const inTask = proxyLocalActivities<AuthSessionActivities>({
  startToCloseTimeout: '4 seconds',
  retry: { maximumAttempts: 1 },
});

const patient = {
  startToCloseTimeout: '10 seconds',
  retry: { ...OWN_FAULT_RETRY, initialInterval: '200 milliseconds' },
} as const;
const { settleSession } = proxyActivities<AuthSessionActivities>({ ...patient, summary: 'decide' });
const { expireCode } = proxyActivities<AuthSessionActivities>({ ...patient, summary: 'expire the code' });

/** Tried until every subscriber is asked or the request has ended. */
const { askRecipients } = proxyActivities<AuthSessionActivities>({
  startToCloseTimeout: '20 seconds',
  retry: OWN_FAULT_RETRY,
  summary: 'ask in the chat',
});

/** A message that cannot be edited must not hold up the login. */
const { showOutcome } = proxyActivities<AuthSessionActivities>({
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: OWN_FAULT_RETRY,
  summary: 'show the outcome in the chat',
});

/**
 * One login session: waits for the user's answer or the session's end, decides in one transaction, shows the outcome in
 * the chat, and expires the one-time code. The row is the truth; verify and polls check the code's age themselves.
 */
export async function authSession(input: AuthSessionInput): Promise<AuthSessionResult> {
  const { sessionId, projectId, flow } = input;
  const session = { sessionId, projectId };
  let { waitMs } = input;
  let signalled = false;
  setHandler(changed, () => {
    signalled = true;
  });
  let isRedeemed = false;
  setHandler(redeemed, () => {
    isRedeemed = true;
  });
  const asksFirst = flows[flow].asks === 'subscribers';
  const asking = asksFirst ? startAsking(session) : null;

  let outcome: Outcome;
  do {
    setCurrentDetails('Waiting for the user to answer in the messenger.');
    await condition(() => signalled, Math.max(1, waitMs), { summary: 'the session expires' });
    signalled = false;
    outcome = await orElse(inTask.settleAndShow, settleSession, session);
    waitMs = outcome.waitMs;
  } while (outcome.status === 'pending');

  asking?.cancel();
  const codeEnd = Date.now() + outcome.codeLifeMs;
  setStatus(outcome.status);
  const isShown = outcome.shown === true || (await show(session));
  if (outcome.status === 'declined') return { status: 'declined', reason: outcome.reason ?? 'user' };
  if (outcome.status === 'expired') return { status: 'expired', reason: 'not answered in time' };
  if (outcome.status === 'consumed') {
    return { status: 'consumed', reason: asksFirst ? 'confirmed' : 'the code was used' };
  }

  setCurrentDetails('Confirmed. Waiting for the one-time code to be redeemed.');
  let leftMs = codeEnd - Date.now();
  let end;
  do {
    // The timer is not cancelled by a redemption: it ends with the workflow, without an event of its own.
    const codeExpires = sleep(Math.max(1, leftMs), { summary: 'the code expires' });
    await Promise.race([codeExpires, condition(() => isRedeemed)]);
    isRedeemed = false;
    end = await orElse(inTask.expireCode, expireCode, session);
    leftMs = end.leftMs;
  } while (end.status === 'confirmed');
  // The messenger was unavailable when the user answered. By now it may edit the question, which still has its buttons.
  if (!isShown) await show(session);
  setStatus(end.status);
  return end.status === 'consumed'
    ? { status: 'consumed', reason: 'the code was used' }
    : { status: 'expired', reason: 'the code was not used in time' };
}

type Outcome = SettledSession & { shown?: boolean };

/** Asks while the workflow waits: one subscriber may answer while another one's messenger is unavailable. */
function startAsking(session: SessionRef): CancellationScope {
  const scope = new CancellationScope();
  scope.run(() => askRecipients(session)).catch(() => undefined);
  return scope;
}

/** Returns whether the outcome is shown in the chat. */
function show(session: SessionRef): Promise<boolean> {
  return showOutcome(session).then(
    () => true,
    () => false,
  );
}

function setStatus(status: SessionStatus): void {
  upsertSearchAttributes([{ key: searchAttributes.AuthStatus, value: status }]);
}

type OnSession<Result> = (ref: SessionRef) => Promise<Result>;

/** Tries the local activity once; whatever is wrong with it, the ordinary one is retried until it succeeds. */
async function orElse<Result>(
  local: OnSession<Result>,
  ordinary: OnSession<Result>,
  session: SessionRef,
): Promise<Result> {
  try {
    return await local(session);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return ordinary(session);
  }
}
