import type pg from 'pg';
import { dueAgain, nothingDue, unschedule, type Advanced } from '../../base/agenda';
import { AppError } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import type { SendResult } from '../messages';
import { findProject, parkUntilActive } from '../projects';
import type { Project } from '../projects/contract';
import {
  addedTags,
  lockSubscriber,
  onSubscriberChange,
  updateSubscriber,
  type SubscriberRecord,
} from '../subscribers';
import type { EnrolmentStatus, Step, StepOf } from './contract';
import { shareChain, type ChainRow } from './queries/chains';
import {
  countSent,
  DRIP,
  endEnrolment,
  findEnrolment,
  lockEnrolment,
  parkEnrolment,
  recordBegun,
  recordNext,
  recordWait,
  type LockedEnrolment,
} from './queries/enrolments';
import { claimStep, endStep, isBeingSent, recordSent } from './queries/steps';
import type { Rules } from './rules/contract';
import { rulesHold } from './rules/evaluate';
import { findFacts } from './rules/queries';
import { sendStep } from './send-step';
import { delayEnd, stepAfter, stepAfterCondition, windowOpening } from './steps';

export type AdvanceDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

/** `parked`: the chain or the project is not active, and the enrolment waits without a workflow. */
export type AdvancedEnrolment = Advanced<EnrolmentStatus | 'parked'>;

/** A messenger that cannot take a message is tried again after as long as the step has waited, within these limits. */
const BUSY_MS = { least: 30_000, most: 15 * 60_000 };

/** A message that is to be sent after the transaction which has claimed its step. */
interface ClaimedSend {
  claimId: string;
  step: StepOf<'send'>;
  beganAt: Date;
  enrolment: LockedEnrolment;
  subscriber: SubscriberRecord;
  project: Project;
  chain: ChainRow;
}

/**
 * Runs the steps of an enrolment that are due, up to the next wait or the next message. Each step is claimed under its
 * number, so that a repeated call goes on where a crash has left it.
 */
export async function advanceEnrolment(deps: AdvanceDeps, id: string): Promise<AdvancedEnrolment> {
  const reached = await withTransaction(deps.pool, (db) => runDueSteps(deps, db, id));
  if ('status' in reached) return reached;
  try {
    const result = await sendStep(deps, reached);
    return await withTransaction(deps.pool, (db) => recordSend(deps, db, reached, result));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { enrolment, step, beganAt } = reached;
    if (error.code === 'project_inactive') {
      const isParked = await withTransaction(deps.pool, (db) => parkUntilActive(db, DRIP, enrolment));
      if (isParked) return nothingDue('parked', named(enrolment.step_id));
      return dueAgain('active', enrolment.now, enrolment.now, named(enrolment.step_id));
    }
    if (error.code !== 'platform_busy') throw error;
    const now = enrolment.now.getTime();
    const pauseMs = Math.min(Math.max(now - beganAt.getTime(), BUSY_MS.least), BUSY_MS.most);
    return withTransaction(deps.pool, async (db) => {
      const current = await lockEnrolment(db, enrolment.id);
      if (!current) return gone;
      if (current.ended_at) return endedBefore(db, current);
      // Moved to another version during the call: a step that is due now must not wait for the bot.
      if (current.version !== enrolment.version) return dueNow(current, current.step_id);
      return waitUntil(db, enrolment, step, new Date(now + pauseMs));
    });
  }
}

async function waitUntil(
  db: Db,
  enrolment: LockedEnrolment,
  step: Step,
  at: Date,
): Promise<AdvancedEnrolment> {
  await recordWait(db, enrolment, at);
  return dueAgain('active', at, enrolment.now, named(step.id));
}

/** How operators see the step. */
function named(stepId: string | null): string | null {
  return stepId && `step ${stepId}`;
}

const gone: AdvancedEnrolment = nothingDue('cancelled');

/** Lock order: project (if it is inactive), subscriber, chain, enrolment. */
async function runDueSteps(
  deps: AdvanceDeps,
  db: pg.PoolClient,
  id: string,
): Promise<AdvancedEnrolment | ClaimedSend> {
  const found = await findEnrolment(db, id);
  if (!found) return gone;
  // Locks the project, so it comes before the subscriber.
  if (await parkUntilActive(db, DRIP, { id, ...found })) return nothingDue('parked');
  const subscriber = await lockSubscriber(db, found.project_id, found.subscriber_id);
  const chain = await shareChain(db, found.project_id, found.drip_id);
  const enrolment = await lockEnrolment(db, id);
  const project = await findProject(db, found.project_id);
  if (!enrolment || !subscriber || !project) return gone;
  if (enrolment.ended_at || !chain) return endedBefore(db, enrolment);
  if (chain.status !== 'active') {
    await parkEnrolment(db, id);
    return nothingDue('parked', named(enrolment.step_id));
  }
  return new Run(deps, db, { chain, project, enrolment, subscriber }).untilWait();
}

function ended({ status, step_id }: Pick<LockedEnrolment, 'status' | 'step_id'>): AdvancedEnrolment {
  return nothingDue(status, named(step_id));
}

/** A request has ended the enrolment and left its entry due: its workflow ends. */
async function endedBefore(db: Db, enrolment: LockedEnrolment): Promise<AdvancedEnrolment> {
  await unschedule(db, DRIP, [enrolment.id]);
  return ended(enrolment);
}

interface Locked {
  chain: ChainRow;
  project: Project;
  enrolment: LockedEnrolment;
  subscriber: SubscriberRecord;
}

/** Runs the steps of an enrolment that are due, inside one transaction. */
class Run {
  private readonly enrolment: LockedEnrolment;
  private readonly chain: ChainRow;
  private readonly project: Project;
  private subscriber: SubscriberRecord;
  private step: Step | null;
  /** When the current step began; null while it has not. */
  private beganAt: Date | null;
  /** Steps that have begun. */
  private n: number;
  /** When the step before ended: a step begins then. */
  private readonly now: Date;

  constructor(
    private readonly deps: AdvanceDeps,
    private readonly db: pg.PoolClient,
    { chain, project, enrolment, subscriber }: Locked,
  ) {
    this.chain = chain;
    this.project = project;
    this.enrolment = enrolment;
    this.subscriber = subscriber;
    this.step = enrolment.steps.find(({ id }) => id === enrolment.step_id) ?? null;
    this.beganAt = enrolment.step_began_at;
    this.n = enrolment.steps_begun;
    this.now = enrolment.now;
  }

  async untilWait(): Promise<AdvancedEnrolment | ClaimedSend> {
    for (;;) {
      const { step } = this;
      if (!step) return this.end('completed', null);
      if (!this.beganAt || (await this.isUnsent(step))) {
        const exit = await this.exitReason();
        if (exit) return this.end('exited', exit);
      }
      if (!this.beganAt) await this.begin(step);
      const result = await this.run(step);
      if (result) return result;
    }
  }

  /** Null if the next step can begin at once. */
  private async run(step: Step): Promise<AdvancedEnrolment | ClaimedSend | null> {
    switch (step.type) {
      case 'delay':
        return this.wait(step, delayEnd(step, this.beganAt ?? this.now, this.deps.config.HERALD_DRIP_SCALE));
      case 'wait_until':
        return this.wait(step, windowOpening(step, this.now, this.zoneOf(step)));
      case 'condition':
        return this.goTo(stepAfterCondition(this.enrolment.steps, step, await this.holds(step.if)));
      case 'tag':
        await this.changeTags(step);
        return this.goTo(this.after(step));
      case 'end':
        return this.goTo(null);
      case 'send':
        return this.claimSend(step);
    }
  }

  /** A message that waited for its bot, or for an active chain, is treated as not begun. */
  private async isUnsent({ type }: Step): Promise<boolean> {
    return type === 'send' && !(await isBeingSent(this.db, this.enrolment.id, this.n));
  }

  private after({ id }: Step): Step | null {
    return stepAfter(this.enrolment.steps, id);
  }

  private zoneOf({ timezone }: StepOf<'wait_until'>): string {
    return timezone === 'project'
      ? this.project.timezone
      : (this.subscriber.timezone ?? this.project.timezone);
  }

  private async exitReason(): Promise<string | null> {
    const { exit_on } = this.enrolment;
    if (exit_on && (await this.holds(exit_on))) return 'exit_rule';
    return this.subscriber.active ? null : 'unsubscribed';
  }

  private async holds(rules: Rules): Promise<boolean> {
    const facts = await findFacts(this.db, this.subscriber.id, [rules], this.enrolment.started_at);
    return facts !== null && rulesHold(rules, facts);
  }

  private async begin(step: Step): Promise<void> {
    this.n += 1;
    this.beganAt = this.now;
    await this.claim(step);
    await recordBegun(this.db, this.enrolment.id, step.id, this.now);
  }

  private claim(step: Step): Promise<string> {
    const { id: enrolmentId, drip_id: dripId, version } = this.enrolment;
    return claimStep(this.db, {
      enrolmentId,
      dripId,
      n: this.n,
      version,
      stepId: step.id,
      at: this.beganAt ?? this.now,
    });
  }

  private async wait(step: Step, until: Date): Promise<AdvancedEnrolment | null> {
    if (until <= this.now) return this.goTo(this.after(step));
    return waitUntil(this.db, this.enrolment, step, until);
  }

  private async goTo(next: Step | null): Promise<null> {
    await endStep(this.db, this.enrolment.id, this.n);
    this.step = next;
    this.beganAt = null;
    return null;
  }

  private async changeTags({ add = [], remove = [] }: StepOf<'tag'>): Promise<void> {
    const before = this.subscriber;
    const kept = before.tags.filter((tag) => !remove.includes(tag) || add.includes(tag));
    const tags = [...new Set([...kept, ...add])];
    this.subscriber = await updateSubscriber(this.db, before.id, { ...before, tags });
    await onSubscriberChange(this.db, this.project.id, addedTags(before.id, before.tags, tags));
  }

  /** The claim of a step that a worker has left keeps its id, by which its message is found. */
  private async claimSend(step: StepOf<'send'>): Promise<ClaimedSend> {
    const claimId = await this.claim(step);
    const { enrolment, subscriber, project, chain } = this;
    return { claimId, step, beganAt: this.beganAt ?? this.now, enrolment, subscriber, project, chain };
  }

  private async end(status: 'completed' | 'exited', reason: string | null): Promise<AdvancedEnrolment> {
    const { chain, enrolment, subscriber } = this;
    await endWith(this.deps, this.db, { chain, enrolment, subscriber }, { status, reason, sent: false });
    return ended({ status, step_id: this.step?.id ?? enrolment.step_id });
  }
}

/** The result of a message, its event and the next step, in one commit. */
async function recordSend(
  deps: AdvanceDeps,
  db: pg.PoolClient,
  { claimId, step, enrolment: claimed, subscriber, chain }: ClaimedSend,
  result: SendResult,
): Promise<AdvancedEnrolment> {
  const enrolment = await lockEnrolment(db, claimed.id);
  if (!enrolment) return gone;
  const at = await recordSent(db, claimId, result);
  const sent = at !== null && result.status === 'sent';
  const about = { chain, enrolment, subscriber };
  if (sent) {
    await emitEvent(db, enrolment.project_id, 'drip.step_sent', {
      // Of the version that was sent: the enrolment may have been moved to another one meanwhile.
      ...aboutEnrolment(deps, { chain, enrolment: claimed, subscriber }),
      step: claimed.steps.findIndex((each) => each.id === step.id) + 1,
      step_id: step.id,
      delivery_id: result.deliveryId ?? '',
      occurred_at: isoTime(at),
    });
  }
  if (enrolment.ended_at) return endedBefore(db, enrolment);
  // Another worker has recorded it and may have gone on: the row is read again.
  if (at === null) return dueNow(enrolment, enrolment.step_id);
  // In the version that it was moved to, the step was no message, and the enrolment has gone on.
  if (enrolment.step_id !== step.id) {
    if (sent) await countSent(db, claimed.id);
    return dueNow(enrolment, enrolment.step_id);
  }
  const next = stepAfter(enrolment.steps, step.id);
  if (!next) {
    await endWith(deps, db, about, { status: 'completed', reason: null, sent });
    return ended({ status: 'completed', step_id: step.id });
  }
  await recordNext(db, claimed.id, { stepId: next.id, at: enrolment.now, sent });
  return dueNow(enrolment, next.id);
}

function dueNow({ now }: LockedEnrolment, stepId: string | null): AdvancedEnrolment {
  return dueAgain('active', now, now, named(stepId));
}

type About = Pick<Locked, 'chain' | 'enrolment' | 'subscriber'>;

function aboutEnrolment({ config }: AdvanceDeps, { chain, enrolment, subscriber }: About) {
  return {
    drip_id: chain.id,
    name: chain.name,
    enrolment_id: enrolment.id,
    version: enrolment.version,
    subscriber_id: formatSubscriberId(subscriber.id, config.HERALD_SUBSCRIBER_ID_FORMAT),
    channel: subscriber.channel,
    external_id: subscriber.external_id,
  };
}

async function endWith(
  deps: AdvanceDeps,
  db: pg.PoolClient,
  about: About,
  end: { status: 'completed' | 'exited'; reason: string | null; sent: boolean },
): Promise<void> {
  const { ended_at, steps_sent } = await endEnrolment(db, about.enrolment.id, end);
  await emitEvent(db, about.enrolment.project_id, 'drip.completed', {
    ...aboutEnrolment(deps, about),
    outcome: end.status,
    reason: end.reason,
    steps_sent,
    occurred_at: isoTime(ended_at),
  });
}
