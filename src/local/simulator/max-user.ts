import { randomBytes } from 'node:crypto';
import type { UserActions, ChannelState } from './channel-state';
import type { Chat, ChatMessage, UserExtras } from './chats';
import { clockCounter, uniqueTimes } from './ids';
import { bareMessageShape, localeOf, messageShape, userShape } from './max-shapes';
import type { SimUser } from './users';

/** Turns user actions into MAX updates. */
export function createMaxActions({ bot, chats, updates, callbacks, faults }: ChannelState): UserActions {
  const now = uniqueTimes();
  const nextSequence = clockCounter();

  function emit(type: string, chat: Chat, content: Record<string, unknown>): void {
    const body = { update_type: type, timestamp: now(), ...content };
    updates.push({ id: nextSequence(), type, chatId: chat.id, body });
  }

  function started(user: SimUser, chat: Chat, payload: string | null): void {
    user.started = true;
    user.blocked = false;
    emit('bot_started', chat, { chat_id: chat.id, user: userShape(user), payload, ...localeOf(user) });
    chats.changed(chat);
  }

  function say(user: SimUser, chat: Chat, text: string, extras?: UserExtras): ChatMessage {
    if (chat.user) user.started = true;
    const message = chats.postFromUser(chat, user, text, extras);
    emit('message_created', chat, { message: messageShape(bot, chat, message), ...localeOf(user) });
    return message;
  }

  return {
    say,

    edit(user, chat, message, text) {
      chats.edit(chat, message, { text });
      emit('message_edited', chat, { message: messageShape(bot, chat, message), ...localeOf(user) });
    },

    open(user, chat, start) {
      // Only a dialog can be started; in a group the user types the command.
      if (chat.user) return started(user, chat, start);
      say(user, chat, start === null ? '/start' : `/start ${start}`);
    },

    tap(user, chat, messageId, data, stale) {
      const id = randomBytes(24).toString('base64url');
      callbacks.add(id, chat, messageId, stale);
      const message = chat.messages.get(messageId);
      const shown = message
        ? messageShape(bot, chat, message)
        : bareMessageShape(bot, chat, String(messageId));
      emit('message_callback', chat, {
        callback: { timestamp: now(), callback_id: id, payload: data, user: userShape(user) },
        message: faults.takeForUpdate('message_null') ? null : shown,
        ...localeOf(user),
      });
      return id;
    },

    block(user) {
      if (user.blocked) return;
      user.blocked = true;
      const chat = chats.dialog(user);
      emit('bot_stopped', chat, { chat_id: chat.id, user: userShape(user), ...localeOf(user) });
      chats.changed(chat);
    },

    unblock(user) {
      if (user.blocked) started(user, chats.dialog(user), null);
    },
  };
}
