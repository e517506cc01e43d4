/**
 * The control API: what tests, and the page of the simulator, do in the name of a person. The same for both channels.
 *
 *   POST /control/{channel}/users/{user}/open     {start?, chat?: "group"}
 *   POST /control/{channel}/users/{user}/say      {text, chat?: "group"}
 *   POST /control/{channel}/users/{user}/tap      {button, message_id?} by text or index, on the newest message with
 *                                                 buttons or on the given one; {message_id, data, chat_id?} forges a
 *                                                 tap; {stale: true} makes one that comes too late to be answered
 *   POST /control/{channel}/users/{user}/block, …/unblock
 *   GET  /control/{channel}/users/{user}/chat     {messages, toasts, started, blocked}; ?chat=group for the group
 *   GET  /control/{channel}/users/{user}/events   the same as server-sent events, at every change
 *   POST /control/{channel}/users                 {count, from?, prefix?}: a crowd that only counts its messages
 *   POST /control/{channel}/faults                {method, times?, status?, retry_after?, description?, code?,
 *                                                 delay_ms?, drop?, drop_after?} or {updates: "duplicate" | "reorder" |
 *                                                 "message_null", times?} or {clear: true}
 *   GET  /control/{channel}/calls?method=         counts and the last 1,000 calls of the bot
 *   GET  /control/{channel}/stats                 {users, messages_sent, messages_edited, recipients, by_user_max,
 *                                                 pending_updates}
 *   GET  /control/{channel}                       {channel, bot, users}
 *
 * `{user}` is a number, used as it is, or a name, which always stands for the same number. Every act may bring
 * first_name, username and language_code along.
 */
import type { Chat, ChatButton, ChatMessage } from './chats';
import { newestWithButtons } from './chats';
import { chatView, streamChat } from './control-views';
import { FaultError } from './faults';
import type { Exchange, Handler } from './http';
import { BodyError, readJson, sendJson } from './http';
import type { SimUser } from './people';
import type { ChannelName, UserActs, World } from './world';

export interface ControlledChannel {
  world: World;
  acts: UserActs;
}

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
const KEPT_IN_LISTS = 100;

export function createControlApi(channels: Record<ChannelName, ControlledChannel>): Handler {
  async function answer(exchange: Exchange): Promise<unknown> {
    const [name, area, user, action, ...rest] = exchange.path.split('/').slice(2).map(decodeURIComponent);
    if ((name !== 'telegram' && name !== 'max') || rest.length > 0) {
      throw new ControlError(404, 'no such channel');
    }
    const channel = channels[name];
    const body = exchange.method === 'POST' ? await readJson(exchange.req) : {};
    const route = `${exchange.method} ${user === undefined ? (area ?? '') : `user/${action ?? ''}`}`;
    if (user !== undefined && area === 'users') return actOfUser(channel, user, route, body, exchange);
    return actOnChannel(channel, route, body, exchange);
  }

  return async (exchange) => {
    if (!exchange.path.startsWith('/control/')) return false;
    try {
      refuseForeignPages(exchange);
      const result = await answer(exchange);
      if (result !== undefined) sendJson(exchange, 200, result);
    } catch (error) {
      const status = error instanceof ControlError ? error.status : 400;
      const expected = [ControlError, BodyError, FaultError, URIError].some((kind) => error instanceof kind);
      if (!expected) throw error;
      sendJson(exchange, status, { error: (error as Error).message });
    }
    return true;
  };
}

/** Any web page can post to a port of this machine; only the simulator's own may. */
function refuseForeignPages({ req }: Exchange): void {
  const { origin, host } = req.headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new ControlError(403, 'another site may not control the simulator');
}

function actOnChannel({ world }: ControlledChannel, route: string, body: Body, { url }: Exchange): unknown {
  switch (route) {
    case 'GET ':
      return {
        channel: world.channel,
        bot: { id: world.bot.id, username: world.bot.username },
        users: [...world.people.all()].slice(-KEPT_IN_LISTS).map(({ id, name }) => ({ id, name })),
      };
    case 'POST users': {
      const { count, from, prefix } = body;
      if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_CROWD) {
        throw new ControlError(400, `count must be between 1 and ${MAX_CROWD}`);
      }
      const crowd = world.people.addCrowd(
        count,
        typeof from === 'number' ? from : undefined,
        typeof prefix === 'string' ? prefix : undefined,
      );
      return { from: crowd.from, to: crowd.from + count - 1, count };
    }
    case 'POST faults':
      world.faults.add(body);
      return { ok: true };
    case 'GET calls':
      return world.calls.view(url.searchParams.get('method'));
    case 'GET stats':
      return stats(world);
    default:
      throw new ControlError(404, `no such control call: ${route}`);
  }
}

function actOfUser(
  { world, acts }: ControlledChannel,
  name: string,
  route: string,
  body: Body,
  exchange: Exchange,
): unknown {
  const user = world.people.named(name);
  introduce(user, body);
  const place = body.chat ?? exchange.url.searchParams.get('chat');
  const chat = place === 'group' ? world.chats.group() : world.chats.dialog(user);
  switch (route) {
    case 'GET user/chat':
      return chatView(chat, user);
    case 'GET user/events':
      return streamChat(exchange, chat, user);
    case 'POST user/open':
      acts.open(user, chat, optionalText(body, 'start') || null);
      return { ok: true, user_id: user.id };
    case 'POST user/say': {
      const text = optionalText(body, 'text') ?? '';
      if (text.trim() === '') throw new ControlError(400, 'text is needed');
      refuseIfBlocked(user);
      acts.say(user, chat, text);
      return { ok: true, user_id: user.id };
    }
    case 'POST user/tap':
      refuseIfBlocked(user);
      return tap(world, acts, user, chat, body);
    case 'POST user/block':
      acts.block(user);
      return { ok: true };
    case 'POST user/unblock':
      acts.unblock(user);
      return { ok: true };
    default:
      throw new ControlError(404, `no such control call: ${route}`);
  }
}

/** What a person tells about themselves is remembered; null forgets it. */
function introduce(user: SimUser, body: Body): void {
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

function tap(world: World, acts: UserActs, user: SimUser, ownChat: Chat, body: Body): Body {
  const messageId = readMessageId(world, body.message_id);
  const stale = body.stale === true;
  if (body.data !== undefined) {
    const data = optionalText(body, 'data') ?? '';
    if (messageId === undefined) throw new ControlError(400, 'message_id is needed with data');
    const chat = typeof body.chat_id === 'number' ? world.chats.find(body.chat_id) : ownChat;
    if (!chat) throw new ControlError(404, 'no such chat');
    return { ok: true, callback_id: acts.tap(user, chat, messageId, data, stale), message_id: messageId };
  }
  const message = messageId === undefined ? newestWithButtons(ownChat) : ownChat.messages.get(messageId);
  if (!message) throw new ControlError(404, 'there is no message with buttons');
  const button = findButton(message, body.button);
  if (button.url !== undefined) return { ok: true, url: button.url };
  const callbackId = acts.tap(user, ownChat, message.id, button.data ?? '', stale);
  return { ok: true, callback_id: callbackId, message_id: message.id };
}

function readMessageId(world: World, value: unknown): number | string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return world.channel === 'telegram' ? Number(value) : String(value);
}

/** By its text, or by its place counted over all rows. */
function findButton(message: ChatMessage, wanted: unknown): ChatButton {
  const buttons = message.buttons.flat();
  const byText = buttons.find((button) => button.text === wanted);
  const index = typeof wanted === 'number' || /^\d+$/.test(String(wanted)) ? Number(wanted) : -1;
  const button = byText ?? buttons[index];
  if (!button) throw new ControlError(404, `the message has no button ${JSON.stringify(wanted)}`);
  return button;
}

function stats({ people, chats, updates }: World): Body {
  const received = [...chats.all()].map((chat) => chat.received);
  let users = [...people.all()].length;
  let recipients = received.filter((count) => count > 0).length;
  let most = received.reduce((a, b) => Math.max(a, b), 0);
  for (const crowd of people.allCrowds()) {
    users += crowd.count;
    for (const count of crowd.received) {
      if (count > 0) recipients += 1;
      if (count > most) most = count;
    }
  }
  return {
    users,
    messages_sent: chats.sent,
    messages_edited: chats.edited,
    recipients,
    by_user_max: most,
    pending_updates: updates.waiting().length,
  };
}
