import type pg from 'pg';
import {
  type Pace,
  JOIN_OWN_BOT,
  REACHING_BOT,
  allowanceOf,
  allowedCalls,
  chatKeyOf,
  claimTurns,
  nextTimeAfter,
} from '../../bots';
import type { Language } from '../../../base/contract/common';
import { withTransaction, type Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { skipReasonOf, type BatchContent } from '../../messages';
import type { MessageContent, SkipReason } from '../../messages/contract';
import { maySend } from '../../projects';
import { ERASED_SUBSCRIBER_ID } from '../../subscribers';
import type { Properties } from '../../subscribers/contract';
import { senderKey, type BroadcastRun, type Sender } from './runs';

export interface ClaimedRecipient {
  id: string;
  subscriber_id: string;
  external_id: string | null;
  chat_id: string;
  platform_user_id: string;
  tries: number;
  /** Set when the media was sent and only its text is left. */
  media_message_id: string | null;
  /** The recipient's own message, in a batch or rendered from a template; null if all recipients get the same one. */
  content: MessageContent | null;
  first_name: string;
  username: string | null;
  lang: Language;
  properties: Properties;
}

export type Claim =
  /** Cancelled, or fenced out by a newer run. */
  | { state: 'stopped' }
  /** The project is inactive. */
  | { state: 'parked' }
  | { state: 'empty' }
  /** No recipient is due for a while: each waits for its own local time. */
  | { state: 'later' }
  | { state: 'claimed'; recipients: ClaimedRecipient[]; waitMs: number };

interface ClaimableJob {
  messages_per_minute: number | null;
  allowance: number;
  /** Of the audience of a broadcast. */
  permission: string | null;
  may_send: boolean;
}

const PROJECT_BURST_SECONDS = 2;

/** The pace that the project requested; null if none. */
function projectPace({ messages_per_minute: perMinute }: ClaimableJob): Pace | null {
  return perMinute === null ? null : { perSecond: perMinute / 60, burstSeconds: PROJECT_BURST_SECONDS };
}

export interface RecipientClaim {
  wanted: number;
  /** The bot's pace. */
  perSecond: number;
  /** A claimed recipient's own message, which is stored with the claim. */
  contentFor: (recipient: ReachableRecipient) => MessageContent | null;
  /** Platform calls of a message; a recipient who has the media takes one. */
  callsOf: (recipient: ClaimedRecipient) => number;
  /** Records the failure of claimed recipients, in the claim's transaction. */
  recordBlocked: (db: pg.PoolClient, blocked: ClaimedRecipient[]) => Promise<void>;
}

/**
 * Claims recipients under the broadcast's row lock, after checking that the broadcast still runs, the token is
 * current and the project may send. Skips recipients who have unsubscribed or withdrawn the permission since they were queued,
 * passes over chats that must wait, and claims as many as the bot's shared pace and the project's own pace allow.
 */
export function claimRecipients(
  pool: pg.Pool,
  run: BroadcastRun,
  sender: Sender,
  { wanted, perSecond, contentFor, callsOf, recordBlocked }: RecipientClaim,
): Promise<Claim> {
  const bot = senderKey(sender);
  return withTransaction(pool, async (db): Promise<Claim> => {
    const job = await row<ClaimableJob>(
      db,
      'lock_broadcast_run',
      `SELECT messages_per_minute, ${allowanceOf('next_at')} AS allowance, audience ->> 'permission' AS permission,
         ${maySend('project_id')} AS may_send
       FROM broadcasts WHERE id = $1 AND run_token = $2 AND status = 'running' FOR UPDATE`,
      [run.id, run.token],
    );
    if (!job) return { state: 'stopped' };
    if (!job.may_send) return { state: 'parked' };
    const queued = await queuedRecipients(db, run.id, sender, wanted);
    if (queued.length === 0) return waitForChats(db, run.id, sender);
    const { skipped, blocked, sendable } = checkAgain(queued, run, job);
    if (skipped.length > 0) await skip(db, skipped);
    const withContent = (recipient: ReachableRecipient) => ({ ...recipient, content: contentFor(recipient) });
    if (blocked.length > 0) {
      const refused = blocked.map(withContent);
      await markSending(db, run, refused);
      await recordBlocked(db, refused);
      // Events are a transaction's last statements: the others are claimed by the next one, which locks the pace of the bot.
      return { state: 'claimed', recipients: [], waitMs: 0 };
    }
    const moved = sendable.filter((recipient) => recipient.bot !== bot);
    if (moved.length > 0) await reassign(db, moved);
    const reachable = sendable.filter((recipient) => recipient.bot === bot).map(withContent);
    if (reachable.length === 0) return { state: 'claimed', recipients: [], waitMs: 0 };

    const pace = projectPace(job);
    const due = reachable.slice(0, pace ? allowedCalls(job.allowance, reachable.length, pace) : undefined);
    // Without asking for the bot: a project that waits for its own pace does not wait for others.
    if (due.length === 0) return { state: 'claimed', recipients: [], waitMs: -job.allowance * 1000 };
    const { granted, waitMs } = await claimTurns(db, {
      bot,
      perSecond,
      urgent: false,
      candidates: due.map((recipient) => ({
        projectId: run.projectId,
        chatId: recipient.chat_id,
        calls: recipient.media_message_id === null ? callsOf(recipient) : 1,
      })),
    });
    const recipients = due.filter((_, index) => granted.has(index));
    if (recipients.length > 0) {
      await markSending(db, run, recipients);
      if (pace) await consumeProjectPace(db, run.id, recipients.length, pace);
    }
    return { state: 'claimed', recipients, waitMs: Math.max(waitMs, pace ? 1000 / pace.perSecond : 0) };
  });
}

type QueuedRecipient = Omit<ClaimedRecipient, 'chat_id' | 'content'> & {
  /** Null if the subscriber has been removed; then neither active nor blocked. */
  chat_id: string | null;
  /** As stored: in a batch not yet rendered. */
  content: BatchContent | null;
  /** The key of the bot that reaches the recipient now. */
  bot: string;
  active: boolean;
  blocked: boolean;
  permissions: string[];
  /** That the message of a batch needs. */
  permission: string | null;
};

export type ReachableRecipient = QueuedRecipient & { chat_id: string };

const isReachable = (recipient: QueuedRecipient): recipient is ReachableRecipient =>
  recipient.chat_id !== null;

/** The rules of /v1/send, for what has changed since they were queued; a broadcast also skips those who have blocked the bot. */
function checkAgain(queued: QueuedRecipient[], { kind }: BroadcastRun, job: ClaimableJob) {
  const skipped: { id: string; reason: SkipReason }[] = [];
  const blocked: ReachableRecipient[] = [];
  const sendable: ReachableRecipient[] = [];
  for (const recipient of queued) {
    const { id } = recipient;
    const permission = recipient.permission ?? job.permission ?? undefined;
    const reason = skipReasonOf(recipient, permission);
    if (reason !== null) skipped.push({ id, reason });
    else if (recipient.active && isReachable(recipient)) sendable.push(recipient);
    else if (kind === 'batch' && isReachable(recipient)) blocked.push(recipient);
    else skipped.push({ id, reason: 'unsubscribed' });
  }
  return { skipped, blocked, sendable };
}

/** SQL: when the chat of a queued recipient `r` is free; the lookup by key cannot become a join of whole tables. */
const chatFreeAt = (bot: string) => `(SELECT pace.next_at FROM subscribers s
  JOIN chat_pace pace ON pace.chat = ${chatKeyOf(bot, 's.chat_id')} WHERE s.id = r.subscriber_id)`;

/**
 * The messages of a batch go to each subscriber in the order of the request: one is claimed when the one before it has its
 * result.
 */
function queuedRecipients(db: Db, id: string, sender: Sender, limit: number): Promise<QueuedRecipient[]> {
  return rows<QueuedRecipient>(
    db,
    'queued_recipients',
    `SELECT r.id, r.subscriber_id, r.tries, r.media_message_id, r.content, r.permission, s.external_id, s.platform_user_id,
       s.first_name, s.username, s.lang, s.properties, s.chat_id,
       coalesce(s.active, false) AS active, coalesce(s.blocked, false) AS blocked, s.permissions, ${REACHING_BOT} AS bot
     FROM (SELECT r.id, r.position, r.subscriber_id, r.tries, r.media_message_id, r.content, r.permission
           FROM broadcast_recipients r
           WHERE r.broadcast_id = $1 AND r.channel = $2 AND r.bot = $5 AND r.status = 'queued'
             AND coalesce(r.due_at <= clock_timestamp(), true)
             AND coalesce(${chatFreeAt('$4::text')} <= clock_timestamp(), true)
             AND (r.position IS NULL OR NOT EXISTS (SELECT FROM broadcast_recipients earlier
               WHERE earlier.broadcast_id = $1 AND earlier.status = 'sending' AND earlier.subscriber_id = r.subscriber_id))
           ORDER BY r.position, r.id LIMIT $3) r
     LEFT JOIN subscribers s ON s.id = r.subscriber_id
     ${JOIN_OWN_BOT} ORDER BY r.position, r.id`,
    [id, sender.channel, limit, senderKey(sender), sender.bot],
  );
}

/** Recipients who have come to another bot of the project since they were queued. */
function reassign(db: Db, moved: QueuedRecipient[]): Promise<number> {
  return change(
    db,
    'reassign_recipients',
    `UPDATE broadcast_recipients r SET bot = CASE WHEN given.bot = r.channel THEN '' ELSE given.bot END
     FROM unnest($1::uuid[], $2::text[]) AS given (id, bot) WHERE r.id = given.id`,
    [moved.map(({ id }) => id), moved.map(({ bot }) => bot)],
  );
}

/** Beyond this a worker does not wait inside a page. */
const LATER_MS = 10_000;

/** Milliseconds until the next recipient is due; 0 if one is due, none is left, or not all of them are copied. */
export async function msUntilDue(db: Db, id: string): Promise<number> {
  const next = await row<{ ms: number | null }>(
    db,
    'ms_until_due',
    `SELECT CASE WHEN (SELECT copied_id IS NULL FROM broadcasts WHERE id = $1)
         THEN extract(epoch FROM min(coalesce(due_at, clock_timestamp())) - clock_timestamp())::float8 * 1000 END AS ms
     FROM broadcast_recipients WHERE broadcast_id = $1 AND status IN ('queued', 'sending')`,
    [id],
  );
  return Math.max(0, Math.ceil(next?.ms ?? 0));
}

/** No recipient can be sent to now: either none is queued, or all must wait for their chat or for an earlier message. */
async function waitForChats(db: Db, id: string, sender: Sender): Promise<Claim> {
  const next = await row<{ wait_ms: number | null; due_ms: number | null }>(
    db,
    'wait_for_chats',
    `SELECT min(extract(epoch FROM greatest(${chatFreeAt('$3::text')}, r.due_at, clock_timestamp()) - clock_timestamp()))::float8
         * 1000 AS wait_ms,
       min(extract(epoch FROM greatest(r.due_at, clock_timestamp()) - clock_timestamp()))::float8 * 1000 AS due_ms
     FROM broadcast_recipients r
     WHERE r.broadcast_id = $1 AND r.channel = $2 AND r.bot = $4 AND r.status = 'queued'`,
    [id, sender.channel, senderKey(sender), sender.bot],
  );
  if (next?.wait_ms == null || next.due_ms == null) return { state: 'empty' };
  if (next.due_ms > LATER_MS) return { state: 'later' };
  return { state: 'claimed', recipients: [], waitMs: next.wait_ms };
}

function skip(db: Db, skipped: { id: string; reason: SkipReason }[]): Promise<number> {
  return change(
    db,
    'skip_recipients',
    `UPDATE broadcast_recipients r SET status = 'skipped', reason = given.reason, ended_at = now()
     FROM unnest($1::uuid[], $2::text[]) AS given (id, reason) WHERE r.id = given.id`,
    [skipped.map(({ id }) => id), skipped.map(({ reason }) => reason)],
  );
}

/**
 * Stores each recipient's own message before it is sent: the log, a tap and a later run then see what was sent,
 * although the values that a template shows may have changed.
 */
function markSending(db: Db, run: BroadcastRun, recipients: ClaimedRecipient[]): Promise<number> {
  return change(
    db,
    'mark_recipients_sending',
    `UPDATE broadcast_recipients r SET status = 'sending', token = $2,
       content = CASE WHEN r.subscriber_id <> '${ERASED_SUBSCRIBER_ID}' THEN coalesce(given.content::jsonb, r.content) END
     FROM unnest($1::uuid[], $3::text[]) AS given (id, content) WHERE r.id = given.id`,
    [
      recipients.map(({ id }) => id),
      run.token,
      recipients.map(({ content }) => (content ? JSON.stringify(content) : null)),
    ],
  );
}

function consumeProjectPace(
  db: Db,
  id: string,
  messages: number,
  { perSecond, burstSeconds }: Pace,
): Promise<number> {
  return change(
    db,
    'consume_broadcast_pace',
    `UPDATE broadcasts SET next_at = ${nextTimeAfter('next_at', '$2', '$3', burstSeconds)} WHERE id = $1`,
    [id, messages, perSecond],
  );
}
