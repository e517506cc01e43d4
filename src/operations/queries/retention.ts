import { limits } from '../../contract/limits';
import { cursorTime } from '../../db/cursor-time';
import { inTransaction, type Db } from '../../db/pool';
import { rows } from '../../db/query';
import { removeEvents } from '../../events';
import { BATCH, removeOld, removeWalking, repeatedDelete, type NextBatch } from './removal';

/** Events with their deliveries, attempts and retries, unless a delivery is open or ended within the retention. */
export function removeOldEvents(db: Db, days: number): NextBatch {
  let last = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  return async () => {
    const { due, removed } = await inTransaction(db, async (tx) => {
      const due = await rows<{ id: string; at: string }>(
        tx,
        'list_old_events',
        `SELECT e.id, ${cursorTime('e.created_at')} AS at FROM events e
         WHERE e.created_at < now() - make_interval(days => $1) AND (e.created_at, e.id) > ($2::timestamptz, $3::uuid)
         ORDER BY e.created_at, e.id LIMIT ${BATCH}`,
        [days, last.at, last.id],
      );
      const ids = due.map(({ id }) => id);
      return { due, removed: (await removeEvents(tx, ids, days)).removed };
    });
    last = due.at(-1) ?? last;
    return { affected: removed, more: due.length === BATCH };
  };
}

export function removeOldWords(db: Db): NextBatch {
  return removeOld(db, {
    table: 'event_words',
    id: 'event_id',
    age: 'created_at',
    days: limits.webhookSearchDays,
  });
}

/** Ended sessions, with their questions and answers. Overdue ones are ended by the reconciler first. */
export function removeOldSessions(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'auth_sessions',
    id: 'id',
    age: 'created_at',
    days,
    where: `t.status NOT IN ('pending', 'confirmed')`,
  });
}

/** Links that have ended: expired, or used up. */
export function removeEndedLinks(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'subscribe_links',
    id: 'id',
    age: 'created_at',
    days,
    where: `(t.expires_at < now() - make_interval(days => $3)
      OR t.uses >= t.max_uses AND t.last_used_at < now() - make_interval(days => $3))`,
  });
}

export function removeOldMessages(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'messages',
    id: 'id',
    age: 'created_at',
    days,
    where: `t.status IN ('sent', 'failed')`,
  });
}

/** Also those that no worker has completed. */
export function removeOldImports(db: Db, days: number): NextBatch {
  return removeOld(db, { table: 'imports', id: 'id', age: 'created_at', days });
}

export function removeOldOtpCodes(db: Db): NextBatch {
  return removeOld(db, { table: 'otp_codes', id: 'id', age: 'created_at', days: 1 });
}

export function removeOldCharges(db: Db, days: number): NextBatch {
  return removeOld(db, { table: 'credit_ledger', id: 'session_id', age: 'charged_at', days });
}

export function removeOldCreditMonths(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_credit_months',
    `DELETE FROM credit_months WHERE (project_id, month) IN (
       SELECT project_id, month FROM credit_months WHERE month < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldPolls(db: Db): NextBatch {
  return removeWalking(db, {
    table: 'auth_polls',
    key: 'session_id',
    type: 'uuid',
    where: `t.polled_at < now() - interval '1 hour'`,
  });
}

/** `expire` is in milliseconds, as the limiter's library writes it. */
export function removeExpiredCounters(db: Db): NextBatch {
  return removeWalking(db, {
    table: 'request_counters',
    key: 'key',
    type: 'text',
    where: `t.expire < extract(epoch FROM now() - interval '1 hour') * 1000`,
  });
}

export function removeOldOpenings(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_openings',
    `DELETE FROM auth_openings WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM auth_openings WHERE opened_at < now() - interval '1 hour'
       ORDER BY opened_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}

/** Before their broadcasts, in batches: a broadcast has up to 100,000 of them, which its deletion would cascade to. */
export function removeOldRecipients(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recipients',
    `DELETE FROM broadcast_recipients WHERE id IN (
       SELECT r.id FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id
       WHERE b.ended_at < now() - make_interval(days => $1) LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED)`,
    [days],
  );
}

export function removeOldScheduled(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_scheduled',
    `DELETE FROM scheduled WHERE id IN (
       SELECT id FROM scheduled WHERE ended_at < now() - make_interval(days => $1) LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Runs that have ended, of recurring messages that go on too. */
export function removeOldRuns(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recurring_runs',
    `DELETE FROM recurring_runs WHERE id IN (
       SELECT id FROM recurring_runs WHERE created_at < now() - make_interval(days => $1)
         AND scheduled_for < now() - make_interval(days => $1) AND status <> 'started'
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldRecurring(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recurring',
    `DELETE FROM recurring WHERE id IN (
       SELECT id FROM recurring WHERE ended_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldEnrolments(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_drip_enrolments',
    `DELETE FROM drip_enrolments WHERE id IN (
       SELECT id FROM drip_enrolments WHERE ended_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Once its enrolments are gone. */
export function removeOldChains(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_drip_chains',
    `DELETE FROM drip_chains WHERE id IN (
       SELECT c.id FROM drip_chains c WHERE c.deleted_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT 1 FROM drip_enrolments e WHERE e.drip_id = c.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeOldBroadcasts(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_broadcasts',
    `DELETE FROM broadcasts WHERE id IN (
       SELECT b.id FROM broadcasts b WHERE b.ended_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT 1 FROM broadcast_recipients r WHERE r.broadcast_id = b.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** The ids grow with time: the first rows of the primary key are the oldest. */
export function removeOldClicks(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_clicks',
    `DELETE FROM button_clicks WHERE clicked_at < now() - make_interval(days => $1) AND update_id IN (
       SELECT update_id FROM button_clicks ORDER BY update_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

export function removeExpiredIdempotencyKeys(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_idempotency_keys',
    `DELETE FROM idempotency_keys WHERE (project_id, key) IN (
       SELECT project_id, key FROM idempotency_keys
       WHERE created_at < now() - interval '${limits.idempotencyHours} hours'
         AND (leased_until IS NULL OR leased_until < now())
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

/** Endpoints that were deleted, once their deliveries are gone. */
export function removeDeletedEndpoints(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_deleted_endpoints',
    `DELETE FROM endpoints WHERE id IN (
       SELECT e.id FROM endpoints e WHERE e.deleted_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

export function removeRevokedKeys(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_revoked_keys',
    `DELETE FROM api_keys WHERE id IN (
       SELECT id FROM api_keys WHERE revoked_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** The pace of chats that are free again. */
export function removeOldChatPace(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_chat_pace',
    `DELETE FROM chat_pace WHERE chat IN (
       SELECT chat FROM chat_pace WHERE next_at < now() - interval '1 minute' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

/** The turns of processes that died. */
export function removeOldTurns(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_turns',
    `DELETE FROM bot_turns WHERE (bot, urgent, project_id) IN (
       SELECT bot, urgent, project_id FROM bot_turns WHERE waiting_until < now() - interval '1 minute'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

export function removeOldPublishedIds(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_published_ids',
    `DELETE FROM published_ids WHERE (project_id, id) IN (
       SELECT project_id, id FROM published_ids WHERE created_at < now() - interval '${limits.publishedIdDays} days'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

export function removeOldTrackedEvents(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_tracked_events',
    `DELETE FROM tracked_events WHERE id IN (
       SELECT t.id FROM tracked_events t WHERE t.received_at < now() - make_interval(days => $1)
         -- The rules of a chain look back to the beginning of the enrolment.
         AND NOT EXISTS (SELECT 1 FROM drip_enrolments e
           WHERE e.subscriber_id = t.subscriber_id AND e.ended_at IS NULL AND e.started_at <= t.received_at)
       LIMIT ${BATCH} FOR UPDATE OF t SKIP LOCKED)`,
    [days],
  );
}
