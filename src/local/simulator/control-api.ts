/**
 * The control API, with which tests and the simulator's page act as a user. The same for both channels.
 *
 *   POST /control/{channel}/users/{user}/open     {start?, chat?: "group"}
 *   POST /control/{channel}/users/{user}/say      {text, reply_to?: a message_id of the chat, forwarded?: true, chat?: "group"}
 *   POST /control/{channel}/users/{user}/edit     {message_id, text}: changes an own message
 *   POST /control/{channel}/users/{user}/send-file {type: "photo" | "video" | "document" | "voice" | "sticker",
 *                                                 name?, mime?, bytes_base64?, caption?, reply_to?}
 *   POST /control/{channel}/users/{user}/tap      {button, message_id?} by text or index, on the newest message with
 *                                                 buttons or on the given one; {message_id, data, chat_id?} forges a
 *                                                 tap; {stale: true} makes one that comes too late to be answered
 *   POST /control/{channel}/users/{user}/block, …/unblock
 *   POST /control/{channel}/users/{user}/mini-app {start} opens the Mini App: {url, init_data}, signed for the bot
 *   GET  /control/{channel}/users/{user}/chat     {messages (each with its attachments), toasts, started, blocked};
 *                                                 ?chat=group for the group
 *   GET  /control/{channel}/users/{user}/events   the same as server-sent events, at every change
 *   POST /control/{channel}/users                 {count, from?, prefix?}: a crowd that only counts its messages
 *   POST /control/{channel}/faults                {method, times?, status?, retry_after?, description?, code?,
 *                                                 delay_ms?, drop?, drop_after?, user?: only in this user's chat} or {updates: "duplicate" | "reorder" |
 *                                                 "message_null", times?} or {clear: true}, which ends delays as well
 *   POST /control/{channel}/limits                {per_second?, chat_per_second?}: sent messages beyond them get a 429;
 *                                                 off by default
 *   GET  /control/{channel}/calls?method=         counts and the last 1,000 calls of the bot
 *   GET  /control/{channel}/stats                 {users, messages_sent, messages_edited, recipients, by_user_max,
 *                                                 messages_throttled, pending_updates}
 *   GET  /control/{channel}                       {channel, bot, bots, users}
 *
 * Each bot has its own chats, faults, limits and calls: `?bot=<username>` names one, by default the shared bot. A bot
 * appears with the first call that carries its token; until then it takes the faults of the shared bot.
 *
 * `{user}` is a number, used as the id, or a name, which always maps to the same id. Every action may set first_name,
 * username and language_code.
 */
import { randomBytes } from 'node:crypto';
import type { BotDirectory, SimBot } from './bot-directory';
import type { ChannelName, UserActions, ChannelState } from './channel-state';
import { newestWithButtons, type Chat, type ChatButton, type ChatMessage, type UserFile } from './chats';
import { chatView, streamChat } from './control-views';
import { openMiniApp } from './mini-app';
import { FaultError } from './faults';
import { BodyError, readJson, sendJson, type Exchange, type Handler } from './http';
import { LimitError } from './rate-limits';
import type { SimUser } from './users';

class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Body = Record<string, unknown>;

const MAX_CROWD = 1_000_000;
const LIST_LIMIT = 100;

/**
 * `serviceUrl` is Herald's own address, at which the Mini App is; empty if it is not known. `origin` is the simulator's own.
 */
export function createControlApi(
  channels: Record<ChannelName, BotDirectory>,
  serviceUrl: string,
  origin: () => string,
): Handler {
  async function handle(exchange: Exchange): Promise<unknown> {
    const [name, area, user, action, ...rest] = exchange.path.split('/').slice(2).map(decodeURIComponent);
    if ((name !== 'telegram' && name !== 'max') || rest.length > 0) {
      throw new ControlError(404, 'no such channel');
    }
    const bots = channels[name];
    const bot = bots.named(exchange.url.searchParams.get('bot'));
    if (!bot) throw new ControlError(404, 'no such bot');
    const body = exchange.method === 'POST' ? await readJson(exchange.req) : {};
    const route = `${exchange.method} ${user === undefined ? (area ?? '') : `user/${action ?? ''}`}`;
    if (user !== undefined && area === 'users') {
      return handleUser(bot, user, route, body, exchange, { serviceUrl, origin: origin() });
    }
    return handleChannel(bot, bots, route, body, exchange);
  }

  return async (exchange) => {
    if (!exchange.path.startsWith('/control/')) return false;
    try {
      refuseCrossOrigin(exchange);
      const result = await handle(exchange);
      if (result !== undefined) sendJson(exchange, 200, result);
    } catch (error) {
      const status = error instanceof ControlError ? error.status : 400;
      const expected = [ControlError, BodyError, FaultError, LimitError, URIError].some(
        (kind) => error instanceof kind,
      );
      if (!expected) throw error;
      sendJson(exchange, status, { error: (error as Error).message });
    }
    return true;
  };
}

/** Any web page can post to a local port, so only the simulator's own pages are allowed. */
function refuseCrossOrigin({ req }: Exchange): void {
  const { origin, host } = req.headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new ControlError(403, 'another site may not control the simulator');
}

function handleChannel(
  { state }: SimBot,
  bots: BotDirectory,
  route: string,
  body: Body,
  { url }: Exchange,
): unknown {
  switch (route) {
    case 'GET ':
      return {
        channel: state.channel,
        bot: { id: state.bot.id, username: state.bot.username },
        bots: bots.all().map((each) => each.state.bot.username),
        users: [...state.userStore.all()].slice(-LIST_LIMIT).map(({ id, name }) => ({ id, name })),
      };
    case 'POST users': {
      const { count, from, prefix } = body;
      if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_CROWD) {
        throw new ControlError(400, `count must be between 1 and ${MAX_CROWD}`);
      }
      const crowd = state.userStore.addCrowd(
        count,
        typeof from === 'number' ? from : undefined,
        typeof prefix === 'string' ? prefix : undefined,
      );
      return { from: crowd.from, to: crowd.from + count - 1, count };
    }
    case 'POST faults':
      state.faults.add(body, faultedChat(state, body));
      return { ok: true };
    case 'POST limits':
      state.limits.set(body);
      return { ok: true };
    case 'GET calls':
      return state.calls.view(url.searchParams.get('method'));
    case 'GET stats':
      return stats(state);
    default:
      throw new ControlError(404, `no such control call: ${route}`);
  }
}

function faultedChat({ chats, userStore }: ChannelState, { user }: Body): number | undefined {
  if (typeof user !== 'string' && typeof user !== 'number') return undefined;
  return chats.dialog(userStore.named(String(user))).id;
}

function handleUser(
  { state, actions }: SimBot,
  name: string,
  route: string,
  body: Body,
  exchange: Exchange,
  { serviceUrl, origin }: { serviceUrl: string; origin: string },
): unknown {
  const user = state.userStore.named(name);
  updateProfile(user, body);
  const chatName = body.chat ?? exchange.url.searchParams.get('chat');
  const chat = chatName === 'group' ? state.chats.group() : state.chats.dialog(user);
  switch (route) {
    case 'GET user/chat':
      return chatView(chat, user);
    case 'GET user/events':
      return streamChat(exchange, chat, user);
    case 'POST user/open':
      actions.open(user, chat, optionalText(body, 'start') || null);
      return { ok: true, user_id: user.id };
    case 'POST user/say': {
      const text = optionalText(body, 'text') ?? '';
      if (text.trim() === '') throw new ControlError(400, 'text is needed');
      refuseIfBlocked(user);
      const message = actions.say(user, chat, text, {
        replyTo: repliedTo(state, chat, body),
        ...(body.forwarded === true && { forwarded: true }),
      });
      return { ok: true, user_id: user.id, message_id: message.id };
    }
    case 'POST user/edit': {
      const message = chat.messages.get(readMessageId(state, body.message_id) ?? '');
      if (message?.from !== 'user') throw new ControlError(404, 'the user has sent no such message');
      refuseIfBlocked(user);
      actions.edit(user, chat, message, optionalText(body, 'text') ?? '');
      return { ok: true, user_id: user.id };
    }
    case 'POST user/send-file': {
      refuseIfBlocked(user);
      const file = givenFile(body, origin);
      const message = actions.say(user, chat, optionalText(body, 'caption') ?? '', {
        file,
        replyTo: repliedTo(state, chat, body),
      });
      return { ok: true, user_id: user.id, file_id: file.id, message_id: message.id };
    }
    case 'POST user/tap':
      refuseIfBlocked(user);
      return tap(state, actions, user, chat, body);
    case 'POST user/mini-app':
      return openMiniApp(state, user, optionalText(body, 'start') ?? '', serviceUrl);
    case 'POST user/block':
      actions.block(user);
      return { ok: true };
    case 'POST user/unblock':
      actions.unblock(user);
      return { ok: true };
    default:
      throw new ControlError(404, `no such control call: ${route}`);
  }
}

/** Stores the profile fields of a request; null clears one. */
function updateProfile(user: SimUser, body: Body): void {
  const firstName = optionalText(body, 'first_name');
  if (firstName) user.firstName = firstName;
  if ('username' in body) user.username = optionalText(body, 'username') || null;
  if ('language_code' in body) user.languageCode = optionalText(body, 'language_code') || null;
}

function optionalText(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ControlError(400, `${field} must be a string`);
  return value;
}

function refuseIfBlocked(user: SimUser): void {
  if (user.blocked) throw new ControlError(409, 'the user has blocked the bot');
}

function tap(state: ChannelState, actions: UserActions, user: SimUser, ownChat: Chat, body: Body): Body {
  const messageId = readMessageId(state, body.message_id);
  const stale = body.stale === true;
  if (body.data !== undefined) {
    const data = optionalText(body, 'data') ?? '';
    if (messageId === undefined) throw new ControlError(400, 'message_id is needed with data');
    const chat = typeof body.chat_id === 'number' ? state.chats.find(body.chat_id) : ownChat;
    if (!chat) throw new ControlError(404, 'no such chat');
    return { ok: true, callback_id: actions.tap(user, chat, messageId, data, stale), message_id: messageId };
  }
  const message = messageId === undefined ? newestWithButtons(ownChat) : ownChat.messages.get(messageId);
  if (!message) throw new ControlError(404, 'there is no message with buttons');
  const button = findButton(message, body.button);
  if (button.url !== undefined) return { ok: true, url: button.url };
  const callbackId = actions.tap(user, ownChat, message.id, button.data ?? '', stale);
  return { ok: true, callback_id: callbackId, message_id: message.id };
}

function readMessageId(state: ChannelState, value: unknown): number | string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return state.channel === 'telegram' ? Number(value) : String(value);
}

function repliedTo(state: ChannelState, chat: Chat, body: Body): ChatMessage | undefined {
  const id = readMessageId(state, body.reply_to);
  if (id === undefined) return undefined;
  const message = chat.messages.get(id);
  if (!message) throw new ControlError(404, 'the chat has no message to reply to');
  return message;
}

const FILE_TYPES: readonly UserFile['type'][] = ['photo', 'video', 'document', 'voice', 'sticker'];

function givenFile(body: Body, origin: string): UserFile {
  const type = FILE_TYPES.find((each) => each === body.type);
  if (!type) throw new ControlError(400, `type must be one of ${FILE_TYPES.join(', ')}`);
  const content = Buffer.from(optionalText(body, 'bytes_base64') ?? '', 'base64');
  const id = `file-${randomBytes(12).toString('hex')}`;
  return {
    id,
    url: `${origin}/max-files/${id}`,
    type,
    name: optionalText(body, 'name') ?? null,
    mime: optionalText(body, 'mime') ?? null,
    bytes: content.length,
    content,
  };
}

/** Finds a button by its text or by its index over all rows. */
function findButton(message: ChatMessage, wanted: unknown): ChatButton {
  const buttons = message.buttons.flat();
  const byText = buttons.find((button) => button.text === wanted);
  const index = typeof wanted === 'number' || /^\d+$/.test(String(wanted)) ? Number(wanted) : -1;
  const button = byText ?? buttons[index];
  if (!button) throw new ControlError(404, `the message has no button ${JSON.stringify(wanted)}`);
  return button;
}

function stats({ userStore, chats, limits, updates }: ChannelState): Body {
  const received = [...chats.all()].map((chat) => chat.received);
  let users = [...userStore.all()].length;
  let recipients = received.filter((count) => count > 0).length;
  let maxReceived = received.reduce((a, b) => Math.max(a, b), 0);
  for (const crowd of userStore.allCrowds()) {
    users += crowd.count;
    for (const count of crowd.received) {
      if (count > 0) recipients += 1;
      if (count > maxReceived) maxReceived = count;
    }
  }
  return {
    users,
    messages_sent: chats.sent,
    messages_edited: chats.edited,
    recipients,
    by_user_max: maxReceived,
    messages_throttled: limits.refused,
    pending_updates: updates.unacknowledged().length,
  };
}
