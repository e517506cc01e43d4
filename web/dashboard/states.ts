import type {
  Batch,
  Broadcast,
  EndpointView,
  MessageRecord,
  Chain,
  Enrolment,
  Recurring,
  RecurringRun,
  Scheduled,
  SessionRecord,
  Subscriber,
} from './api';
import type { Tone } from './elements';
import { t } from './texts';

/** A state as people see it: its colour and its word. */
export interface Shown {
  tone: Tone;
  text: string;
}

const deliveryTones: Record<string, Tone> = {
  pending: 'busy',
  succeeded: 'good',
  failed: 'bad',
  paused: 'warn',
};

export function deliveryState(status: keyof typeof t.deliveryStates): Shown {
  return { tone: deliveryTones[status] ?? 'neutral', text: t.deliveryStates[status] };
}

const healthTones = { idle: 'neutral', healthy: 'good', failing: 'bad', disabled: 'warn' } as const;

export function endpointState(endpoint: EndpointView): Shown {
  const state = endpoint.health?.state ?? (endpoint.status === 'active' ? 'idle' : 'disabled');
  return { tone: healthTones[state], text: t.endpointStates[state] };
}

const loginTones: Record<string, Tone> = {
  pending: 'busy',
  confirmed: 'good',
  consumed: 'good',
  declined: 'warn',
  unredeemed: 'warn',
};

export function loginState(session: SessionRecord): Shown {
  if (session.reason === 'billing_blocked') return { tone: 'bad', text: t.loginNoCredits };
  if (session.purpose === 'approval' && session.status === 'consumed') {
    return { tone: 'good', text: t.loginApproved };
  }
  return { tone: loginTones[session.status] ?? 'neutral', text: t.loginStates[session.status] };
}

export function subscriberState(subscriber: Subscriber): Shown {
  if (subscriber.blocked) return { tone: 'bad', text: t.subscriberBlocked };
  return subscriber.active
    ? { tone: 'good', text: t.subscriberActive }
    : { tone: 'neutral', text: t.subscriberUnsubscribed };
}

const broadcastTones: Record<string, Tone> = {
  queued: 'busy',
  running: 'busy',
  cancelling: 'warn',
  completed: 'good',
};

export function broadcastState(broadcast: Broadcast): Shown {
  const { status } = broadcast;
  return (
    withFailures(broadcast) ?? { tone: broadcastTones[status] ?? 'neutral', text: t.broadcastStates[status] }
  );
}

export function batchState(batch: Batch): Shown {
  const { status } = batch;
  return withFailures(batch) ?? { tone: broadcastTones[status] ?? 'neutral', text: t.batchStates[status] };
}

/** A job that has ended is not simply done while some of its messages failed. */
function withFailures(job: { status: string; sent: number; failed: number }): Shown | null {
  if (job.status !== 'completed' || job.failed === 0) return null;
  return job.sent === 0
    ? { tone: 'bad', text: t.results.noneSent }
    : { tone: 'warn', text: t.results.someFailed };
}

const scheduledTones: Record<string, Tone> = {
  scheduled: 'busy',
  sending: 'busy',
  sent: 'good',
  failed: 'bad',
  skipped: 'warn',
};

export function scheduledState({ status }: Scheduled): Shown {
  return { tone: scheduledTones[status] ?? 'neutral', text: t.scheduledStates[status] };
}

const recurringTones: Record<string, Tone> = { active: 'good', paused: 'warn' };

export function recurringState({ status }: Recurring): Shown {
  return { tone: recurringTones[status] ?? 'neutral', text: t.recurringStates[status] };
}

const chainTones: Record<string, Tone> = { active: 'good', paused: 'warn' };

export function chainState({ status }: Pick<Chain, 'status'>): Shown {
  return { tone: chainTones[status] ?? 'neutral', text: t.drip.chainStates[status] };
}

const enrolmentTones: Record<string, Tone> = { active: 'busy', completed: 'good' };

export function enrolmentState({ status }: Enrolment): Shown {
  return { tone: enrolmentTones[status] ?? 'neutral', text: t.drip.enrolmentStates[status] };
}

const runTones: Record<string, Tone> = { started: 'busy', completed: 'good', failed: 'bad', skipped: 'warn' };

export function runState({ status }: RecurringRun): Shown {
  return { tone: runTones[status] ?? 'neutral', text: t.runStates[status] };
}

const messageTones: Record<string, Tone> = { sent: 'good', failed: 'bad', queued: 'busy', sending: 'busy' };

export function messageState({ status }: Pick<MessageRecord, 'status'>): Shown {
  return { tone: messageTones[status] ?? 'neutral', text: t.messageStates[status] };
}
