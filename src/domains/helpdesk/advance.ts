import { dueAgain, nothingDue, reportNext, type Advanced } from '../../base/agenda';
import { DAY_MS } from '../../base/contract/durations';
import { PlatformError } from '../bots';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { projectMaySend } from '../projects';
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
  recordUnanswered,
  releaseRating,
  replyUnderWay,
  TICKET,
} from './queries/timers';
import { ratingQuestion } from './rating';

export type AdvanceDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

type AdvancedTicket = Advanced<TicketStatus | 'removed'>;

const GONE: AdvancedTicket = nothingDue('removed');
/** A question that could not be sent is tried again after as long as the ticket has been closed, within these limits. */
const RATING_RETRY_MS = { least: 30_000, most: 900_000 };
/** For this long after the close. */
const RATING_MS = DAY_MS;

/** Does what is due for a ticket: reports that it is unanswered, closes it, asks for a rating. Safe to repeat. */
export async function advanceTicket(deps: AdvanceDeps, ticketId: string): Promise<AdvancedTicket> {
  const { pool } = deps;
  const owner = await findTicketOwner(pool, ticketId);
  if (!owner) return GONE;
  const advanced = await runTimers(deps, ticketId, owner);
  if (advanced.status !== 'closed') return advanced;
  const retryAt = (await replyUnderWay(pool, ticketId)) ? null : await askForRating(deps, ticketId);
  return withTransaction(pool, async (db) => {
    const ticket = await lockTicket(db, owner.project_id, ticketId);
    if (!ticket) return GONE;
    // The ticket was reopened while the question was sent. That change has made its entry due.
    if (ticket.status !== 'closed') return nothingDue(ticket.status);
    // Reopened and closed again during the call: that change asks for another rating, and its entry must not be lost.
    const isWanted = ticket.csat === 'wanted' && !retryAt;
    return recordNext(db, ticket, isWanted ? ((await replyUnderWay(db, ticketId)) ?? ticket.now) : retryAt);
  });
}

type Owner = NonNullable<Awaited<ReturnType<typeof findTicketOwner>>>;

async function runTimers(
  { pool, config }: AdvanceDeps,
  ticketId: string,
  owner: Owner,
): Promise<AdvancedTicket> {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  return withTransaction(pool, async (db) => {
    if (owner.subscriber_id) await lockSubscriber(db, owner.project_id, owner.subscriber_id);
    let ticket = await lockTicket(db, owner.project_id, ticketId);
    if (!ticket) return GONE;
    const { auto_close_days } = await findSettings(db, owner.project_id);
    const timers: Timers = {
      unansweredMs: config.HERALD_UNANSWERED_SECONDS * 1000,
      autoCloseDays: auto_close_days,
      virtualDays: config.HERALD_VIRTUAL_TICKET_DAYS,
    };
    const { unansweredAt, closeAt } = timesOf(ticket, timers);
    if (unansweredAt && ticket.waiting_since && isDue(unansweredAt, ticket)) {
      await recordUnanswered(db, ticket.id);
      await ticketEvents(db, format).unanswered(ticket, ticket.waiting_since);
      ticket = { ...ticket, unanswered_reported: true };
    }
    if (closeAt && isDue(closeAt, ticket)) {
      ticket = await changeTicket(db, ticket, { status: 'closed' }, bySystem, format);
    }
    if (ticket.status === 'closed') return nothingDue(ticket.status);
    const next = timesOf(ticket, timers);
    return recordNext(db, ticket, earliest(next.unansweredAt, next.closeAt));
  });
}

/** The caller holds the ticket's lock. `nextAt` is null if nothing is due. */
async function recordNext(db: Db, ticket: TicketRow, nextAt: Date | null): Promise<AdvancedTicket> {
  await reportNext(db, TICKET, ticket, nextAt);
  return nextAt ? dueAgain(ticket.status, nextAt, ticket.now) : nothingDue(ticket.status);
}

interface Timers {
  unansweredMs: number;
  /** After which a ticket that waits for its customer is closed; null: never. */
  autoCloseDays: number | null;
  /** After which a form's ticket without a subscriber is closed if no member has taken it up. */
  virtualDays: number;
}

function timesOf(ticket: TicketRow, timers: Timers): { unansweredAt: Date | null; closeAt: Date | null } {
  const { status, waiting_since, unanswered_reported } = ticket;
  const isClosed = status === 'closed';
  const waits = !isClosed && waiting_since !== null && !unanswered_reported;
  return {
    unansweredAt: waits ? new Date(waiting_since.getTime() + timers.unansweredMs) : null,
    closeAt: closeTimeOf(ticket, timers),
  };
}

function closeTimeOf(
  { status, status_since, source, virtual, first_reply_at, created_at }: TicketRow,
  { autoCloseDays, virtualDays }: Timers,
): Date | null {
  if (status === 'waiting' && autoCloseDays !== null) {
    return new Date(status_since.getTime() + autoCloseDays * DAY_MS);
  }
  const isUntouched = source === 'form' && virtual && status === 'new' && first_reply_at === null;
  return isUntouched ? new Date(created_at.getTime() + virtualDays * DAY_MS) : null;
}

const isDue = (at: Date, { now }: TicketRow) => at.getTime() <= now.getTime();

function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/**
 * Sends the question once: it is claimed before the call, so that a worker that dies loses it rather than asking twice. A
 * customer who has sent /stop is not asked. Returns when to try again if the messenger is unavailable or the project is
 * inactive.
 */
async function askForRating(
  { pool, messengers, turns, log }: AdvanceDeps,
  ticketId: string,
): Promise<Date | null> {
  const ticket = await claimRating(pool, ticketId);
  if (!ticket) return null;
  const subscriber =
    ticket.subscriber_id && (await findSubscriber(pool, ticket.project_id, ticket.subscriber_id));
  const mayAsk = subscriber && subscriber.active && (await projectMaySend(pool, ticket.project_id));
  const messenger = mayAsk ? await messengers.reaching(subscriber) : null;
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
      return new Date(ticket.now.getTime() + Math.max(pauseMs, error.retryAfterMs ?? 0));
    }
    log.info({ reason: error.reason, ticket_id: ticketId }, 'a customer could not be asked for a rating');
    await endRating(pool, ticketId);
  }
  return null;
}
