import { botTexts, type Button, type OutgoingMessage, serves, type Tap } from '../bots';
import type { Language } from '../../base/contract/common';
import { DAY_MS } from '../../base/contract/durations';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { userOf } from '../subscribers';
import { ticketEvents } from './emit';
import { findOwnTicket } from './queries/chats';
import { lockTicket, recordRating, type TicketRow } from './queries/tickets';
import { tapData } from './tap-data';

const SCORES = [1, 2, 3, 4, 5];

/** Asks the customer how a closed ticket was handled. */
export function ratingQuestion(
  { id, number }: Pick<TicketRow, 'id' | 'number'>,
  lang: Language,
): OutgoingMessage {
  const button = (score: number): Button => ({
    text: String(score),
    data: tapData({ kind: 'rating', id, score }),
  });
  return { text: botTexts[lang].ticketClosed({ number }), buttons: [SCORES.map(button)] };
}

/** The first tap counts. One that is handled again, because its reply was lost, shows the same. */
export async function rate(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  tap: Tap,
  { id, score }: { id: string; score: number },
): Promise<void> {
  const texts = botTexts[tap.user.lang];
  const own = await findOwnTicket(pool, userOf(tap), id);
  if (!own || !serves(tap, own.project_id)) {
    return tap.messenger.answerTap(tap.callbackId, { text: texts.ratingOver });
  }
  const rated = await withTransaction(pool, async (db) => {
    const ticket = await lockTicket(db, own.project_id, id);
    if (!ticket || ticket.csat_score !== null) return ticket;
    const asked = ticket.csat_asked_at?.getTime() ?? 0;
    if (ticket.now.getTime() - asked > limits.csatDays * DAY_MS) return null;
    await recordRating(db, ticket, score);
    const after = { ...ticket, csat_score: score };
    await ticketEvents(db, config.HERALD_SUBSCRIBER_ID_FORMAT).rated(after, score);
    return after;
  });
  if (!rated?.csat_score) return tap.messenger.answerTap(tap.callbackId, { text: texts.ratingOver });
  const isOther = rated.csat_score !== score;
  await tap.messenger
    .answerTap(tap.callbackId, isOther ? { text: texts.alreadyRated } : undefined)
    .catch(() => undefined);
  if (tap.messageId === null) return;
  const { number, csat_score } = rated;
  await tap.messenger.edit(tap.chatId, tap.messageId, {
    text: texts.ticketRated({ number, score: csat_score }),
  });
}
