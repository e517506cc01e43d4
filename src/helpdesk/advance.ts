import { PlatformError } from '../bots';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { findSubscriber, lockSubscriber } from '../subscribers';
import { bySystem, changeTicket } from './change';
import type { TicketStatus } from './contract';
import { ticketEvents } from './emit';
import { recordBotMessage } from './queries/chats';
import { findSettings } from './queries/settings';
import { findTicketOwner, lockTicket, type TicketRow } from './queries/tickets';
import {
  claimRating,
  endRating,
  recordNext,
  recordUnanswered,
  releaseRating,
  replyUnderWay,
} from './queries/timers';
import { ratingQuestion } from './rating';

export type AdvanceDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

/** Where a ticket stands after what was due has been done. */
export interface Advanced {
  status: TicketStatus | 'removed';
  /** Null if nothing is due later. */
  nextAt: Date | null;
  /** Until then, by the database's clock. */
  waitMs: number;
  /** A closed ticket needs no clock. */
  isOpen: boolean;
}

const GONE: Advanced = { status: 'removed', nextAt: null, waitMs: 0, isOpen: false };
const DAY_MS = 86_400_000;
/** As `replyUnderWay`. The result of a reply wakes the workflow at once; this is for a process that died before it. */
const REPLY_MS = 30_000;
/** A question that could not be sent is tried again after as long as the ticket has been closed, within these limits. */
const RATING_RETRY_MS = { least: 30_000, most: 900_000 };
/** For this long after the close. */
const RATING_MS = DAY_MS;

/** Does what is due for a ticket: tells that it is unanswered, closes it, asks for a rating. Safe to repeat. */
export async function advanceTicket(deps: AdvanceDeps, ticketId: string): Promise<Advanced> {
  const advanced = await runTimers(deps, ticketId);
  if (advanced.status !== 'closed') return advanced;
  const later = await replyUnderWay(deps.pool, ticketId);
  if (later) {
    await recordNext(deps.pool, ticketId, later);
    return { ...advanced, nextAt: later, waitMs: REPLY_MS };
  }
  const again = await askForRating(deps, ticketId);
  if (!again) return advanced;
  await recordNext(deps.pool, ticketId, again.at);
  return { ...advanced, nextAt: again.at, waitMs: again.waitMs };
}

async function runTimers({ pool, config }: AdvanceDeps, ticketId: string): Promise<Advanced> {
  const owner = await findTicketOwner(pool, ticketId);
  if (!owner) return GONE;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  return withTransaction(pool, async (db) => {
    if (owner.subscriber_id) await lockSubscriber(db, owner.project_id, owner.subscriber_id);
    let ticket = await lockTicket(db, owner.project_id, ticketId);
    if (!ticket) return GONE;
    const { auto_close_days } = await findSettings(db, owner.project_id);
    const timers = { unansweredMs: config.HERALD_UNANSWERED_SECONDS * 1000, autoCloseDays: auto_close_days };
    const { unansweredAt, closeAt } = timesOf(ticket, timers);
    if (unansweredAt && ticket.waiting_since && isDue(unansweredAt, ticket)) {
      await recordUnanswered(db, ticket.id);
      await ticketEvents(db, format).unanswered(ticket, ticket.waiting_since);
      ticket = { ...ticket, unanswered_reported: true };
    }
    if (closeAt && isDue(closeAt, ticket)) {
      ticket = await changeTicket(db, ticket, { status: 'closed' }, bySystem, format);
    }
    const next = timesOf(ticket, timers);
    const nextAt = earliest(next.unansweredAt, next.closeAt);
    await recordNext(db, ticket.id, nextAt);
    const waitMs = nextAt ? Math.max(1, nextAt.getTime() - ticket.now.getTime()) : 0;
    return { status: ticket.status, nextAt, waitMs, isOpen: ticket.status !== 'closed' };
  });
}

function timesOf(
  { status, status_since, waiting_since, unanswered_reported }: TicketRow,
  { unansweredMs, autoCloseDays }: { unansweredMs: number; autoCloseDays: number | null },
): { unansweredAt: Date | null; closeAt: Date | null } {
  const isClosed = status === 'closed';
  const waits = !isClosed && waiting_since !== null && !unanswered_reported;
  const closes = status === 'waiting' && autoCloseDays !== null;
  return {
    unansweredAt: waits ? new Date(waiting_since.getTime() + unansweredMs) : null,
    closeAt: closes ? new Date(status_since.getTime() + autoCloseDays * DAY_MS) : null,
  };
}

const isDue = (at: Date, { now }: TicketRow) => at.getTime() <= now.getTime();

function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/**
 * Sends the question once: it is claimed before the call, so that a worker that dies loses it rather than asking twice. A
 * customer who has sent /stop is not asked. Returns when to try again if the messenger is unavailable.
 */
async function askForRating(
  { pool, messengers, turns, log }: AdvanceDeps,
  ticketId: string,
): Promise<{ at: Date; waitMs: number } | null> {
  const ticket = await claimRating(pool, ticketId);
  if (!ticket) return null;
  const subscriber =
    ticket.subscriber_id && (await findSubscriber(pool, ticket.project_id, ticket.subscriber_id));
  const messenger = subscriber && subscriber.active ? await messengers.reaching(subscriber) : null;
  if (!subscriber || !subscriber.active) {
    await endRating(pool, ticketId);
    return null;
  }
  try {
    if (!messenger) throw new PlatformError('platform_unavailable', 'The bot is not connected.');
    const { messageId } = await messenger.send(subscriber.chat_id, ratingQuestion(ticket, subscriber.lang));
    turns.count(messenger.bot, 1);
    await endRating(pool, ticketId, { asked: true });
    await recordBotMessage(pool, ticketId, messageId);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const closedMs = ticket.now.getTime() - ticket.closed_at.getTime();
    if ((error.isUndelivered || !messenger) && closedMs < RATING_MS) {
      await releaseRating(pool, ticketId);
      const pauseMs = Math.min(Math.max(closedMs, RATING_RETRY_MS.least), RATING_RETRY_MS.most);
      const waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
      return { at: new Date(ticket.now.getTime() + waitMs), waitMs };
    }
    log.info({ reason: error.reason, ticket_id: ticketId }, 'a customer could not be asked for a rating');
    await endRating(pool, ticketId);
  }
  return null;
}
