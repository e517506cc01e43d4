import { randomBytes } from 'node:crypto';
import type { UserActions, ChannelState } from './channel-state';
import type { Chat, ChatMessage, UserExtras } from './chats';
import { clockCounter } from './ids';
import { botShape, chatShape, messageShape, userShape } from './telegram-shapes';
import type { SimUser } from './users';

/** Turns user actions into Telegram updates. */
export function createTelegramActions({ bot, chats, updates, callbacks }: ChannelState): UserActions {
  const nextUpdateId = clockCounter();

  function emit(type: string, chat: Chat, content: Record<string, unknown>): void {
    const id = nextUpdateId();
    updates.push({ id, type, chatId: chat.id, body: { update_id: id, [type]: content } });
  }

  function say(user: SimUser, chat: Chat, text: string, extras?: UserExtras): ChatMessage {
    if (chat.user) user.started = true;
    const message = chats.postFromUser(chat, user, text, extras);
    emit('message', chat, messageShape(bot, chat, message));
    return message;
  }

  function membership(user: SimUser, before: string, after: string): void {
    const member = (status: string) => ({
      user: botShape(bot),
      status,
      ...(status === 'kicked' && { until_date: 0 }),
    });
    const chat = chats.dialog(user);
    emit('my_chat_member', chat, {
      chat: chatShape(chat),
      from: userShape(user),
      date: Math.floor(Date.now() / 1000),
      old_chat_member: member(before),
      new_chat_member: member(after),
    });
    chats.changed(chat);
  }

  function unblock(user: SimUser): void {
    if (!user.blocked) return;
    user.blocked = false;
    membership(user, 'kicked', 'member');
  }

  return {
    say,
    unblock,

    edit(_user, chat, message, text) {
      chats.edit(chat, message, { text });
      emit('edited_message', chat, messageShape(bot, chat, message));
    },

    open(user, chat, start) {
      // Pressing START on a blocked bot unblocks it first.
      unblock(user);
      say(user, chat, start === null ? '/start' : `/start ${start}`);
    },

    tap(user, chat, messageId, data, stale) {
      const id = randomBytes(8).readBigUInt64BE().toString();
      callbacks.add(id, chat, messageId, stale);
      const message = chat.messages.get(messageId);
      emit('callback_query', chat, {
        id,
        from: userShape(user),
        // A message that is not in this chat is sent as the Bot API's inaccessible message, with date 0.
        message: message
          ? messageShape(bot, chat, message)
          : { chat: chatShape(chat), message_id: messageId, date: 0 },
        chat_instance: String(chat.id),
        data,
      });
      return id;
    },

    block(user) {
      if (user.blocked) return;
      user.blocked = true;
      membership(user, 'member', 'kicked');
    },
  };
}
