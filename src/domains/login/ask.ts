import {
  type Messenger,
  type OutgoingMessage,
  PlatformError,
  botTexts,
  recordThrottled,
  storedBotKey,
  withCode,
} from '../bots';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { randomBase62, sha256 } from '../../base/lib/tokens';
import { findProject } from '../projects';
import type { Project } from '../projects/contract';
import { markBlocked } from '../subscribers';
import { showSessionOutcome } from './outcome';
import { setPromptMessage } from './queries/prompts';
import {
  deletePrompt,
  insertRequestPrompt,
  markRecipientRefused,
  unaskedRecipients,
  type Recipient,
} from './queries/requests';
import { findSession, type AuthSession } from './queries/sessions';
import { answerButtons, NONCE_LENGTH } from './tap-data';

type Deps = Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'turns' | 'log'>;

/** An activity waits no longer than this for a turn; Temporal then tries again. */
const TURN_WAIT_MS = 5_000;

/**
 * Sends the question of a request to every subscriber who has not got it yet. Unlike the reply to an opened link it waits
 * for its turn, as single messages do, so that approvals cannot hold up the login questions of the bot. Throws if a
 * messenger is unavailable; safe to repeat. After a crash between the send and its record the question is sent again.
 */
export async function askRecipients(deps: Deps, sessionId: string): Promise<void> {
  const session = await findSession(deps.pool, sessionId);
  if (!session || session.status !== 'pending' || session.wait_ms <= 0) return;
  const project = await findProject(deps.pool, session.project_id);
  if (!project) return;
  const recipients = await unaskedRecipients(deps.pool, sessionId);
  const asked = await Promise.allSettled(
    recipients.map((recipient) => askRecipient(deps, session, project, recipient)),
  );
  // A request that ended meanwhile did not see these questions.
  const now = await findSession(deps.pool, sessionId);
  if (now && now.status !== 'pending') return showSessionOutcome(deps, sessionId);
  const failed = asked.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function askRecipient(
  deps: Deps,
  session: AuthSession,
  project: Project,
  subscriber: Recipient,
): Promise<void> {
  const messenger = await deps.messengers.reaching({ ...subscriber, project_id: project.id });
  if (!messenger) throw new PlatformError('platform_unavailable', 'the bot is not connected yet');
  const recipient = { ...subscriber, bot: storedBotKey(messenger) };
  const hasTurn = await deps.turns.wait({
    bot: messenger.bot,
    projectId: project.id,
    chatId: recipient.chat_id,
    calls: 1,
    deadline: performance.now() + TURN_WAIT_MS,
  });
  if (!hasTurn) throw new PlatformError('rate_limited', 'the bot had no free turn');
  const nonce = randomBase62(NONCE_LENGTH);
  const promptId = await insertRequestPrompt(deps.pool, session.id, recipient, sha256(nonce));
  if (promptId === null) return;
  try {
    const { messageId } = await send(messenger, recipient, question(session, project, nonce, recipient));
    await setPromptMessage(deps.pool, promptId, messageId);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    // Without a response the question may have arrived: then its buttons count.
    if (error.status !== null) await deletePrompt(deps.pool, promptId);
    await recordFailure(deps, session, recipient, messenger, error);
  }
}

function send(
  messenger: Messenger,
  { chat_id }: Recipient,
  message: OutgoingMessage,
): Promise<{ messageId: string }> {
  return messenger.send(chat_id, message, { failFast: true });
}

/** Throws what can be tried again. A refusal is recorded: this subscriber is not asked again. */
async function recordFailure(
  { pool, config, log }: Deps,
  { id }: AuthSession,
  { channel, chat_id, platform_user_id, subscriber_id }: Recipient,
  { bot }: Messenger,
  error: PlatformError,
): Promise<void> {
  if (error.reason === 'rate_limited') {
    await recordThrottled(pool, bot, chat_id, error.retryAfterMs);
  }
  if (error.retryable) throw error;
  log.info({ session_id: id, reason: error.reason }, 'the messenger refused the question of a request');
  await withTransaction(pool, async (db) => {
    await markRecipientRefused(db, id, subscriber_id, error.reason);
    if (error.reason !== 'user_blocked_bot') return;
    await markBlocked(db, { channel, bot, platform_user_id }, config.HERALD_SUBSCRIBER_ID_FORMAT);
  });
}

function question(
  session: AuthSession,
  project: Project,
  nonce: string,
  { lang }: Recipient,
): OutgoingMessage {
  const texts = botTexts[lang];
  return {
    ...withCode(
      texts.approvalQuestion({
        project: project.name,
        message: session.message ?? '',
        matchCode: session.match_code,
        device: session.user_agent,
        address: session.client_ip,
      }),
      session.match_code,
    ),
    buttons: answerButtons(texts, nonce),
  };
}
