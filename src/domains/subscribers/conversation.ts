import { type Chat, type ChatHandlers, type Tap, botTexts, greeting, serves } from '../bots';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { onBehalfOf } from '../../base/db/project-share';
import { findProjectBySlug } from '../projects';
import type { Project } from '../projects/contract';
import { openLink } from './links';
import { addressOf, personOf, userOf } from './messenger-user';
import {
  activeSubscriptions,
  hasBlocked,
  markBlocked,
  markUnblocked,
  moveToBot,
  subscribe,
  unsubscribe,
} from './queries/subscriptions';
import { parseStopChoice, stopQuestion } from './stop-question';

/** Handles the `proj_` link, /stop, and users who block, unblock or come to a bot. */
export function subscriberChat(core: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  const { pool, config } = core;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  async function subscribeTo(slug: string, chat: Chat): Promise<void> {
    const { user, chatId, messenger } = chat;
    const texts = botTexts[user.lang];
    const project = await findProjectBySlug(pool, slug);
    if (!project?.active || !serves(chat, project.id)) {
      await messenger.send(chatId, { text: texts.unknownLink });
      return;
    }
    await onBehalfOf(project.id, () =>
      withTransaction(pool, (db) => subscribe(db, project.id, personOf(chat), format)),
    );
    await welcome(core, project, chat);
  }

  async function subscribeByLink(token: string, chat: Chat): Promise<void> {
    const { updateId, servedProjectId } = chat;
    const project = await openLink(pool, token, personOf(chat), { updateId, servedProjectId, format });
    if (project) return welcome(core, project, chat);
    await chat.messenger.send(chat.chatId, { text: botTexts[chat.user.lang].unknownLink });
  }

  /** Ends the subscriptions of one project, or of all, and returns what to say about it. */
  async function end(chat: Chat, projectId: string | null): Promise<string> {
    const texts = botTexts[chat.user.lang];
    const projects = await withTransaction(pool, (db) =>
      unsubscribe(db, userOf(chat), { projectId, updateId: chat.updateId }, format),
    );
    return projects.length > 0 ? texts.unsubscribed(projects) : texts.nothingToUnsubscribe;
  }

  async function stop(chat: Chat): Promise<void> {
    const subscriptions = await activeSubscriptions(pool, userOf(chat));
    const message =
      subscriptions.length > 1
        ? stopQuestion(chat.user.lang, subscriptions)
        : { text: await end(chat, null) };
    await chat.messenger.send(chat.chatId, message);
  }

  /** The choice can be forged; it only ends subscriptions of the user who taps. */
  async function endChosen(tap: Tap, projectId: string | null): Promise<void> {
    const text = await end(tap, projectId);
    await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
    if (tap.messageId === null) await tap.messenger.send(tap.chatId, { text });
    else await tap.messenger.edit(tap.chatId, tap.messageId, { text });
  }

  return {
    links: { subscribe: subscribeTo, link: subscribeByLink },
    stop,
    async tap(tap) {
      const choice = parseStopChoice(tap.data);
      if (!choice) return false;
      await endChosen(tap, choice.projectId);
      return true;
    },
    async arrived(chat) {
      if (chat.servedProjectId !== null) await moveToBot(pool, chat.servedProjectId, addressOf(chat));
    },
    blocked: (chat) => withTransaction(pool, (db) => markBlocked(db, userOf(chat), format)),
    async unblocked(chat) {
      // Called for every opened link.
      if (!(await hasBlocked(pool, userOf(chat)))) return;
      await withTransaction(pool, (db) => markUnblocked(db, userOf(chat), format));
    },
  };
}

async function welcome(core: Pick<Core, 'pool' | 'config'>, project: Project, chat: Chat): Promise<void> {
  await chat.messenger.send(chat.chatId, { text: await greeting(core, project, personOf(chat)) });
}
