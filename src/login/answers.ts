import type { Core } from '../core';
import { sha256 } from '../lib/tokens';
import { recordAnswer } from './queries/decisions';
import { findPromptByNonce, type Prompt } from './queries/prompts';
import { lockSession } from './queries/sessions';
import { withTransaction } from '../db/pool';
import type { SessionStarter } from './workflow';
import { showSessionOutcome } from './outcome';
import { type BotTexts, type Tap, botTexts } from '../bots';

type Verdict = { accepted: string } | { ended: string; notice: string } | { notice: string };

/** Whether a tap's data is of a login question, and what it says. */
export function parseAnswer(data: string): { answer: 'yes' | 'no'; nonce: string } | null {
  const match = /^([yn]):([0-9A-Za-z]{32})$/.exec(data);
  if (!match) return null;
  return { answer: match[1] === 'y' ? 'yes' : 'no', nonce: match[2] ?? '' };
}

/**
 * Checks a tap and stores it as an answer; the workflow decides. Nothing that a tap carries is believed: the nonce
 * must belong to this user, chat and message, and its question must be the newest one.
 */
export function createLoginAnswers(
  deps: Pick<Core, 'pool' | 'cipher' | 'messengers' | 'log'> & { starter: SessionStarter },
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
      if (!session) return { notice: texts.sessionEnded };
      if (session.status !== 'pending') {
        const answered = session.status !== 'expired' || session.was_confirmed;
        return { ended: session.id, notice: answered ? texts.alreadyAnswered : texts.sessionEnded };
      }
      if (prompt.closed) return { notice: texts.questionReplaced };
      if (tap.receivedAt > session.expires_at) return { ended: session.id, notice: texts.sessionEnded };
      const first = await recordAnswer(db, {
        update_id: tap.updateId,
        session_id: session.id,
        answer,
        first_name: tap.user.firstName,
        username: tap.user.username,
        received_at: tap.receivedAt,
      });
      return first ? { accepted: session.id } : { accepted: session.id, notice: texts.alreadyAnswered };
    });
  }

  return async (tap: Tap, answer: 'yes' | 'no', nonce: string): Promise<void> => {
    const verdict = await judge(tap, answer, nonce);
    if ('accepted' in verdict) {
      // Stored and told: from here on the login happens whatever becomes of this process.
      await starter.tellAnswered(verdict.accepted, tap.updateId);
    }
    if ('ended' in verdict) {
      await showSessionOutcome(deps, verdict.ended).catch((err: unknown) =>
        log.info({ err, session_id: verdict.ended }, 'the question of an ended session could not be edited'),
      );
    }
    const notice = 'notice' in verdict ? { text: verdict.notice, alert: true } : undefined;
    // The tap counts whether or not its little clock stops turning.
    await tap.messenger
      .answerTap(tap.callbackId, notice)
      .catch((err: unknown) => log.info({ err }, 'a tap could not be acknowledged'));
  };
}

/** What is wrong with the place of a tap, or null. */
function misplaced(prompt: Prompt, tap: Tap, texts: BotTexts): string | null {
  if (prompt.channel !== tap.messenger.channel || prompt.platform_user_id !== tap.user.id) {
    return texts.notYourQuestion;
  }
  if (tap.messageId === null) return null;
  if (prompt.chat_id !== tap.chatId || prompt.message_id !== tap.messageId) return texts.sessionEnded;
  return null;
}
