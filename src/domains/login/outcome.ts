import { type BotTexts, type OutgoingMessage, PlatformError, botTexts, loginConfirmed } from '../bots';
import type { Core } from '../../base/core';
import { findProject } from '../projects';
import type { Project } from '../projects/contract';
import { returnUrl } from './contract';
import { flows } from './flows';
import { closePrompt, openPrompts, type OpenPrompt } from './queries/prompts';
import { findSession, type AuthSession } from './queries/sessions';

type Deps = Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'log'>;

/**
 * Edits the open questions of an ended session, in every chat that was asked, to show the outcome without buttons. If the
 * user has deleted a message or the platform refuses the edit, it stays as it is: the login does not depend on it. Safe to
 * repeat: each question is edited until it is closed.
 */
export async function showSessionOutcome(deps: Deps, sessionId: string): Promise<void> {
  const session = await findSession(deps.pool, sessionId);
  if (!session || session.status === 'pending') return;
  const project = await findProject(deps.pool, session.project_id);
  if (!project) return;
  const prompts = await openPrompts(deps.pool, sessionId);
  const edits = await Promise.allSettled(
    prompts.map((prompt) => editQuestion(deps, session, project, prompt)),
  );
  const failed = edits.find((edit) => edit.status === 'rejected');
  if (failed) throw failed.reason;
}

async function editQuestion(
  deps: Deps,
  session: AuthSession,
  project: Project,
  prompt: OpenPrompt,
): Promise<void> {
  const { pool, messengers, log } = deps;
  const { messenger, isRemoved } = await messengers.find(prompt.channel, prompt.bot);
  if (isRemoved) return void (await closePrompt(pool, prompt.id));
  if (!messenger) throw new PlatformError('platform_unavailable', 'the bot is not connected yet');
  const message =
    flows[session.flow].asks === 'subscribers'
      ? { text: requestOutcome(session, project, prompt) }
      : await loginOutcome(deps, session, project, prompt);
  try {
    await messenger.edit(prompt.chat_id, prompt.message_id, message);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error;
    log.info({ session_id: session.id, reason: error.reason }, 'the question could not be edited');
  }
  await closePrompt(pool, prompt.id);
}

async function loginOutcome(
  deps: Deps,
  session: AuthSession,
  project: Project,
  prompt: OpenPrompt,
): Promise<OutgoingMessage> {
  const texts = botTexts[prompt.lang];
  if (session.decline_reason === 'billing_blocked') return { text: texts.billingBlocked(project.name) };
  if (session.status === 'declined') return { text: texts.declined(project.name) };
  if (session.status === 'expired' && !session.was_confirmed) return { text: texts.expired(project.name) };
  const text = await loginConfirmed(deps, project, prompt);
  const base = returnBase(session, project);
  if (!base || !session.code_sealed) return { text };
  const url = returnUrl(
    base,
    deps.cipher.decrypt(session.code_sealed, 'auth_code', session.id),
    session.state,
  );
  return { text, buttons: [[{ text: texts.returnToSite, url }]] };
}

function returnBase(session: AuthSession, project: Project): string | null {
  const { returnsTo } = flows[session.flow];
  return returnsTo === 'callback_url' ? project.callback_url : returnsTo && session[returnsTo];
}

/** Of several subscribers who were asked, only one has answered. */
function requestOutcome(session: AuthSession, project: Project, prompt: OpenPrompt): string {
  const texts: BotTexts = botTexts[prompt.lang];
  const asked = { project: project.name, message: session.message ?? '' };
  const isOwn = prompt.channel === session.channel && prompt.platform_user_id === session.platform_user_id;
  if (session.decline_reason === 'billing_blocked') return texts.requestBlocked(asked);
  if (session.status === 'declined') {
    return isOwn ? texts.requestDeclined(asked) : texts.requestDeclinedElsewhere(asked);
  }
  if (session.status === 'expired' && !session.was_confirmed) return texts.requestExpired(asked);
  return isOwn ? texts.requestApproved(asked) : texts.requestApprovedElsewhere(asked);
}
