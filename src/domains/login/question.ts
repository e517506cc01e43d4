import type { PoolClient } from 'pg';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { randomBase62, sha256 } from '../../base/lib/tokens';
import { closePrompts, insertPrompt, setPromptMessage, wasPrompted, type Prompt } from './queries/prompts';
import {
  claimSession,
  findSession,
  lockSessionByStart,
  recordOpening,
  openStaticSession,
  type AuthSession,
  type SessionOwner,
} from './queries/sessions';
import { findProjectBySlug, findProjectWithBilling, isBillingBlocked } from '../projects';
import { withTransaction } from '../../base/db/pool';
import type { Project } from '../projects/contract';
import { startOrLeaveToRelay, type SessionStarter } from './workflow-client';
import {
  type BotUser,
  type Chat,
  type OutgoingMessage,
  PlatformError,
  botTexts,
  serves,
  storedBotKey,
  withCode,
} from '../bots';
import { flows } from './flows';
import { endSession, firstAnswer } from './queries/decisions';
import { requestWakeUp } from './queries/starts';
import { showSessionOutcome } from './outcome';
import { answerButtons, NONCE_LENGTH } from './tap-data';

/** The outcome of opening a link: a question to ask, or a message that says why there is none. */
type Claimed = {
  session: AuthSession;
  project: Project;
  promptId: number;
  nonce: string;
  replaced: Prompt[];
};
type Refused = { refused: string };

/** Asks the login question when a user opens a link. answers.ts handles the taps on it. */
export function createLoginQuestions(
  deps: Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'log'> & { starter: SessionStarter },
) {
  const { pool, config, messengers, log } = deps;

  async function newPrompt(
    db: PoolClient,
    session: AuthSession,
    project: Project,
    chat: Chat,
  ): Promise<Claimed> {
    const replaced = await closePrompts(db, session.id);
    const nonce = randomBase62(NONCE_LENGTH);
    const promptId = await insertPrompt(db, {
      session_id: session.id,
      nonce_hash: sha256(nonce),
      channel: chat.messenger.channel,
      bot: storedBotKey(chat.messenger),
      chat_id: chat.chatId,
      platform_user_id: chat.user.id,
      update_id: chat.updateId,
    });
    return { session, project, promptId, nonce, replaced };
  }

  async function claimByToken(db: PoolClient, token: string, chat: Chat): Promise<Claimed | Refused> {
    const texts = botTexts[chat.user.lang];
    const session = await lockSessionByStart(db, sha256(token));
    if (!session || !serves(chat, session.project_id)) return { refused: texts.unknownLink };
    const project = await findProjectWithBilling(db, session.project_id, config.HERALD_GRACE_HOURS);
    if (!project?.active) return { refused: texts.loginNotSetUp };
    const owner = session.platform_user_id;
    if (owner !== null && (owner !== chat.user.id || session.channel !== chat.messenger.channel)) {
      return { refused: texts.linkInUse };
    }
    const isOpen = session.status === 'pending' && session.wait_ms > 0;
    if (project.billing_blocked && !project.system) {
      // An answer that is stored is decided by the workflow.
      if (isOpen && !(await firstAnswer(db, session.id))) {
        await endSession(db, session.id, 'declined', 'billing_blocked');
        await requestWakeUp(db, session.id);
      }
      return { refused: texts.billingBlocked(project.name) };
    }
    if (!isOpen) return { refused: texts.expired(project.name) };
    await claimSession(db, session, ownerOf(chat));
    return newPrompt(db, { ...session, lang: chat.user.lang }, project, chat);
  }

  async function claimBySlug(db: PoolClient, slug: string, chat: Chat): Promise<Claimed | Refused> {
    const texts = botTexts[chat.user.lang];
    const project = await findProjectBySlug(db, slug);
    // The same message for all of them, so that nothing can be learned about other projects.
    if (!project?.active || project.callback_url === null || !serves(chat, project.id)) {
      return { refused: texts.loginNotSetUp };
    }
    const allowed = await recordOpening(
      db,
      chat.messenger.channel,
      { platformUserId: chat.user.id, updateId: chat.updateId },
      limits.authStaticOpeningsPerMinute,
    );
    if (!allowed) return { refused: texts.tooManyOpenings };
    if (await isBillingBlocked(db, project.id, config.HERALD_GRACE_HOURS)) {
      return { refused: texts.billingBlocked(project.name) };
    }
    const session = await openStaticSession(db, project.id, ownerOf(chat), config.HERALD_SESSION_TTL_SECONDS);
    return newPrompt(db, session, project, chat);
  }

  async function ask(chat: Chat, claim: (db: PoolClient) => Promise<Claimed | Refused>): Promise<void> {
    // A process asked this update's question before and died before it could mark the update as handled.
    if (await wasPrompted(pool, chat.updateId)) return;
    const claimed = await withTransaction(pool, claim);
    if ('refused' in claimed) {
      await chat.messenger.send(chat.chatId, { text: claimed.refused });
      return;
    }
    const { session, project, promptId, nonce, replaced } = claimed;
    // Not awaited: an outage of Temporal must not delay the question.
    if (flows[session.flow].beginsInChat) {
      void startOrLeaveToRelay(deps, { ...session, project_slug: project.slug });
    }
    const { messageId } = await chat.messenger.send(
      chat.chatId,
      question(session, project, nonce, chat.user),
    );
    await setPromptMessage(pool, promptId, messageId);
    await disable(replaced, chat.user);
    // If the session ended while the question was being sent, its workflow did not see this message.
    const now = await findSession(pool, session.id);
    if (now && now.status !== 'pending') await showSessionOutcome(deps, session.id);
  }

  /** Edits older questions of the session to say that only the newest one counts. Best effort. */
  async function disable(replaced: Prompt[], user: BotUser): Promise<void> {
    for (const prompt of replaced) {
      if (prompt.message_id === null) continue;
      const { messenger } = await messengers.find(prompt.channel, prompt.bot);
      try {
        await messenger?.edit(prompt.chat_id, prompt.message_id, { text: botTexts[user.lang].replaced });
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        log.info(
          { session_id: prompt.session_id, reason: error.reason },
          'an older question could not be edited',
        );
      }
    }
  }

  return {
    openSession: (token: string, chat: Chat) => ask(chat, (db) => claimByToken(db, token, chat)),
    openStatic: (slug: string, chat: Chat) => ask(chat, (db) => claimBySlug(db, slug, chat)),
  };
}

function ownerOf({ messenger, user }: Chat): SessionOwner {
  return {
    channel: messenger.channel,
    platform_user_id: user.id,
    bot: storedBotKey(messenger),
    lang: user.lang,
  };
}

function question(session: AuthSession, project: Project, nonce: string, user: BotUser): OutgoingMessage {
  const texts = botTexts[user.lang];
  return {
    ...withCode(
      texts.loginQuestion({
        project: project.name,
        matchCode: session.match_code,
        device: session.user_agent,
        address: session.client_ip,
        subscribes: !project.system,
      }),
      session.match_code,
    ),
    buttons: answerButtons(texts, nonce),
  };
}
