import { type OutgoingMessage, PlatformError, botTexts } from '../bots';
import type { Core } from '../core';
import { findProject } from '../projects';
import type { Project } from '../projects/contract';
import { closePrompt, openPrompts, type OpenPrompt } from './queries/requests';
import type { AuthSession } from './queries/sessions';

type Deps = Pick<Core, 'pool' | 'messengers' | 'log'>;

/**
 * Edits every question of an ended request, in all chats that were asked, to show its outcome without buttons. A
 * question that the platform does not edit stays as it is. Safe to repeat: each question is edited until it is closed.
 */
export async function showRequestOutcome(deps: Deps, session: AuthSession): Promise<void> {
  const project = await findProject(deps.pool, session.project_id);
  if (!project) return;
  const prompts = await openPrompts(deps.pool, session.id);
  const edits = await Promise.allSettled(
    prompts.map((prompt) => editQuestion(deps, session, project, prompt)),
  );
  const failed = edits.find((edit) => edit.status === 'rejected');
  if (failed) throw failed.reason;
}

async function editQuestion(
  { pool, messengers, log }: Deps,
  session: AuthSession,
  project: Project,
  prompt: OpenPrompt,
): Promise<void> {
  const { messenger, isRemoved } = await messengers.find(prompt.channel, prompt.bot);
  if (isRemoved) return void (await closePrompt(pool, prompt.id));
  if (!messenger) throw new PlatformError('platform_unavailable', 'the bot is not connected yet');
  try {
    await messenger.edit(prompt.chat_id, prompt.message_id, outcomeMessage(session, project, prompt));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error;
    log.info({ session_id: session.id, reason: error.reason }, 'the question could not be edited');
  }
  await closePrompt(pool, prompt.id);
}

function outcomeMessage(session: AuthSession, project: Project, prompt: OpenPrompt): OutgoingMessage {
  const texts = botTexts[prompt.lang ?? 'en'];
  const isApproved = session.status !== 'declined' && (session.status !== 'expired' || session.was_confirmed);
  const isOwn = prompt.channel === session.channel && prompt.platform_user_id === session.platform_user_id;
  const asked = { project: project.name, message: session.message ?? '' };
  if (session.decline_reason === 'billing_blocked') return { text: texts.requestBlocked(asked) };
  if (session.status === 'declined') {
    return { text: isOwn ? texts.requestDeclined(asked) : texts.requestDeclinedElsewhere(asked) };
  }
  if (!isApproved) return { text: texts.requestExpired(asked) };
  return { text: isOwn ? texts.requestApproved(asked) : texts.requestApprovedElsewhere(asked) };
}
