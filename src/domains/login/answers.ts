import type { Core } from '../../base/core';
import { sha256 } from '../../base/lib/tokens';
import { recordAnswer } from './queries/decisions';
import { findPromptByNonce, setPromptMessage, type Prompt } from './queries/prompts';
import { lockSession, type AuthSession } from './queries/sessions';
import { withTransaction } from '../../base/db/pool';
import type { SessionStarter } from './workflow-client';
import { showSessionOutcome } from './outcome';
import { type BotTexts, type Tap, botTexts, serves, storedBotKey } from '../bots';

/** What a tap leads to: a stored answer to signal, a session whose end to show, a notice to the user. */
interface Verdict {
  accepted?: AuthSession;
  endedSessionId?: string;
  notice?: string;
}

/**
 * Checks a tap and stores it as an answer; the workflow decides. A tap's data can be forged: the nonce must belong to
 * this user, chat and message, and its question must be the newest of its session.
 */
export function createLoginAnswers(
  deps: Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'log'> & { starter: SessionStarter },
) {
  const { pool, starter, log } = deps;

  async function judge(tap: Tap, answer: 'yes' | 'no', nonce: string): Promise<Verdict> {
    const texts = botTexts[tap.user.lang];
    const prompt = await findPromptByNonce(pool, sha256(nonce));
    if (!prompt) return { notice: texts.sessionEnded };
    const refused = misplaced(prompt, tap, texts);
    if (refused !== null) return { notice: refused };
    return withTransaction(pool, async (db): Promise<Verdict> => {
      const session = await lockSession(db, prompt.session_id);
      if (!session || !serves(tap, session.project_id)) return { notice: texts.sessionEnded };
      // The process that sent the question has not recorded it yet, died before, or got no response.
      if (prompt.message_id === null && tap.messageId !== null) {
        await setPromptMessage(db, prompt.id, tap.messageId);
      }
      const ended = session.purpose === 'approval' ? texts.requestEnded : texts.sessionEnded;
      if (session.status !== 'pending') {
        const answered = session.status !== 'expired' || session.was_confirmed;
        return { endedSessionId: session.id, notice: answered ? texts.alreadyAnswered : ended };
      }
      if (prompt.closed) return { notice: texts.questionReplaced };
      if (tap.receivedAt > session.expires_at) return { endedSessionId: session.id, notice: ended };
      const first = await recordAnswer(db, {
        update_id: tap.updateId,
        session_id: session.id,
        answer,
        first_name: tap.user.firstName,
        username: tap.user.username,
        received_at: tap.receivedAt,
        prompt_id: prompt.id,
      });
      return { accepted: session, ...(first ? {} : { notice: texts.alreadyAnswered }) };
    });
  }

  return async (tap: Tap, answer: 'yes' | 'no', nonce: string): Promise<void> => {
    const { accepted, endedSessionId, notice } = await judge(tap, answer, nonce);
    // An update whose signal fails is handled again, so a stored answer always reaches the workflow.
    if (accepted) await starter.signalChanged(accepted);
    if (endedSessionId !== undefined) {
      await showSessionOutcome(deps, endedSessionId).catch((err: unknown) =>
        log.info({ err, session_id: endedSessionId }, 'the outcome of a session could not be shown'),
      );
    }
    // The answer counts even if the platform does not take the acknowledgement of its tap.
    await tap.messenger
      .answerTap(tap.callbackId, notice === undefined ? undefined : { text: notice, alert: true })
      .catch((err: unknown) => log.info({ err }, 'a tap could not be acknowledged'));
  };
}

/** Why a tap does not belong to its question, or null. */
function misplaced(prompt: Prompt, tap: Tap, texts: BotTexts): string | null {
  if (prompt.channel !== tap.messenger.channel || prompt.platform_user_id !== tap.user.id) {
    return texts.notYourQuestion;
  }
  if (prompt.bot !== storedBotKey(tap.messenger)) return texts.sessionEnded;
  if (tap.messageId === null) return null;
  // Of a question that Herald sent by itself, the chat is the subscriber's, which MAX can name in two ways.
  if (prompt.update_id !== null && prompt.chat_id !== tap.chatId) return texts.sessionEnded;
  if (prompt.message_id !== null && prompt.message_id !== tap.messageId) return texts.sessionEnded;
  return null;
}
