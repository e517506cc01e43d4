import {
  condition,
  defineSignal,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { AuthSessionActivities } from '../activities/auth-session';
import { searchAttributes, signals } from '../src/temporal/names';

/** Ids only: whoever can see the Temporal UI learns nothing about people. */
export interface AuthSessionInput {
  sessionId: string;
  projectId: string;
  flow: 'session' | 'static';
  /** Time left until the session's end, computed from its row when the workflow was started. */
  waitMs: number;
}

export interface AuthSessionResult {
  status: 'consumed' | 'expired' | 'declined';
  reason: string;
}

/** The bot stored an answer for the session: look at the row. The id of the update makes a repeated signal harmless. */
export const answered = defineSignal<[{ updateId: number }]>(signals.answered);

// Faults of our own (the database is away) are retried until they pass: the session's times stand in its row.
const patient = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
} as const;
const { settleSession } = proxyActivities<AuthSessionActivities>({ ...patient, summary: 'decide' });
const { expireCode } = proxyActivities<AuthSessionActivities>({ ...patient, summary: 'end of the code' });

// A message that cannot be edited must not hold up the login.
const { showOutcome } = proxyActivities<AuthSessionActivities>({
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '20 seconds' },
  summary: 'show the outcome in the chat',
});

/**
 * One login session: waits for the bot's answer or the session's end, lets one transaction decide, shows the outcome
 * in the chat, and holds the timer of the one-time code.
 */
export async function authSession(input: AuthSessionInput): Promise<AuthSessionResult> {
  const { sessionId } = input;
  const seen = new Set<number>();
  let told = false;
  setHandler(answered, ({ updateId }) => {
    if (seen.has(updateId)) return;
    seen.add(updateId);
    told = true;
  });

  setCurrentDetails('Waiting for the user to answer in the messenger.');
  let waitMs = input.waitMs;
  let outcome;
  do {
    await condition(() => told, Math.max(1, waitMs), { summary: 'life of the session' });
    told = false;
    outcome = await settleSession({ sessionId });
    waitMs = outcome.waitMs;
  } while (outcome.status === 'pending');

  // By this workflow's own clock from here on; the code's life in the database is checked by verify itself.
  const codeEnd = Date.now() + outcome.codeLifeMs;
  upsertSearchAttributes([{ key: searchAttributes.AuthStatus, value: outcome.status }]);
  const shown = await showOutcome({ sessionId }).then(
    () => true,
    () => false,
  );
  if (outcome.status === 'declined') return { status: 'declined', reason: outcome.reason ?? 'user' };
  if (outcome.status === 'expired') return { status: 'expired', reason: 'nobody answered in time' };
  if (outcome.status === 'consumed') return { status: 'consumed', reason: 'the code was used' };

  setCurrentDetails('Confirmed. The one-time code waits to be used.');
  let leftMs = codeEnd - Date.now();
  let end;
  do {
    await sleep(Math.max(1, leftMs), { summary: 'life of the code' });
    end = await expireCode({ sessionId });
    leftMs = end.leftMs;
  } while (end.status === 'confirmed');
  // The messenger was away when the user said Yes: by now it may be back, and the question must not stand for ever.
  if (!shown && patched('outcome-at-the-end')) await showOutcome({ sessionId }).catch(() => undefined);
  upsertSearchAttributes([{ key: searchAttributes.AuthStatus, value: end.status }]);
  return end.status === 'consumed'
    ? { status: 'consumed', reason: 'the code was used' }
    : { status: 'expired', reason: 'the code was not used in time' };
}
