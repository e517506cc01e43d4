import { returnUrl } from './contract';
import type { Core } from '../core';
import { closePrompts, lastPrompt } from './queries/prompts';
import { findSession, type AuthSession } from './queries/sessions';
import { showRequestOutcome } from './request-outcome';
import { findProject } from '../projects';
import type { Project } from '../projects/contract';
import { type OutgoingMessage, PlatformError, botTexts, withWelcome } from '../bots';

type OutcomeDeps = Pick<Core, 'pool' | 'cipher' | 'messengers' | 'log'>;

/**
 * Edits the session's newest question to show its outcome, without buttons. If the user has deleted the message or the
 * platform refuses the edit, it stays as it is: the login does not depend on it. Safe to repeat.
 */
export async function showSessionOutcome(deps: OutcomeDeps, sessionId: string): Promise<void> {
  const { pool, messengers, log } = deps;
  const session = await findSession(pool, sessionId);
  if (!session || session.status === 'pending') return;
  if (session.flow === 'push') return showRequestOutcome(deps, session);
  const prompt = await lastPrompt(pool, sessionId);
  const project = await findProject(pool, session.project_id);
  if (!prompt?.message_id || !project) return;
  const { messenger, isRemoved } = await messengers.find(prompt.channel, prompt.bot);
  if (isRemoved) return void (await closePrompts(pool, sessionId));
  if (!messenger) throw new PlatformError('platform_unavailable', 'the bot is not connected yet');
  try {
    await messenger.edit(prompt.chat_id, prompt.message_id, outcomeMessage(deps, session, project));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error;
    log.info({ session_id: sessionId, reason: error.reason }, 'the question could not be edited');
  }
  await closePrompts(pool, sessionId);
}

function outcomeMessage({ cipher }: OutcomeDeps, session: AuthSession, project: Project): OutgoingMessage {
  const lang = session.lang ?? 'en';
  const texts = botTexts[lang];
  if (session.status === 'declined') {
    return {
      text:
        session.decline_reason === 'billing_blocked'
          ? texts.billingBlocked(project.name)
          : texts.declined(project.name),
    };
  }
  if (session.status === 'expired' && !session.was_confirmed) return { text: texts.expired(project.name) };
  const text = withWelcome(texts.confirmed(project.name, { subscribes: !project.system }), project, lang);
  const base = session.flow === 'static' ? project.callback_url : session.redirect_uri;
  // Only with a redirect_uri does a session get the button: on a phone it would redeem the code of a desktop login.
  if (!base || !session.code_sealed) return { text };
  const url = returnUrl(base, cipher.decrypt(session.code_sealed, 'auth_code', session.id), session.state);
  return { text, buttons: [[{ text: texts.returnToSite, url }]] };
}
