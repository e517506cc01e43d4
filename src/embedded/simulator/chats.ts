import type { Entity } from './formatted';
import type { People, SimUser } from './people';

export type MessageId = number | string;

export interface ChatButton {
  text: string;
  data?: string;
  url?: string;
}

export interface Media {
  type: 'photo' | 'video' | 'document';
  url: string;
}

export interface Draft {
  text: string;
  entities: Entity[];
  buttons: ChatButton[][];
  media: Media | null;
}

export interface ChatMessage extends Draft {
  id: MessageId;
  from: 'bot' | 'user';
  sender: SimUser | null;
  /** milliseconds */
  at: number;
  editedAt: number | null;
}

/** A notice that pops up over the chat. */
export interface Toast {
  /** counts up, so that a page can tell new ones from those it has shown */
  n: number;
  text: string;
  alert: boolean;
}

export interface Chat {
  id: number;
  /** null in the group */
  user: SimUser | null;
  /** in order of arrival; a deleted message is gone for the user too */
  messages: Map<MessageId, ChatMessage>;
  toasts: Toast[];
  received: number;
  watchers: Set<() => void>;
}

export interface ChatIds {
  dialogOf(userId: number): number;
  userOf(chatId: number): number;
  group: number;
  nextMessage(): MessageId;
  now(): number;
}

/** Why a message cannot reach a chat. */
export type Refusal = 'unknown' | 'blocked';

const TOASTS_KEPT = 50;

export class ChatBook {
  private readonly chats = new Map<number, Chat>();
  sent = 0;
  edited = 0;

  constructor(
    private readonly people: People,
    private readonly ids: ChatIds,
  ) {}

  dialog(user: SimUser): Chat {
    return this.getOrOpen(this.ids.dialogOf(user.id), user);
  }

  group(): Chat {
    return this.getOrOpen(this.ids.group, null);
  }

  /** The chat the bot may act in, or why it may not. */
  forBot(chatId: number): Chat | Refusal {
    if (chatId === this.ids.group) return this.chats.get(chatId) ?? 'unknown';
    const user = this.people.find(this.ids.userOf(chatId));
    if (!user?.started) return 'unknown';
    if (user.blocked) return 'blocked';
    return this.dialog(user);
  }

  /** Puts a message of the bot into a chat; a member of a crowd only counts it. */
  postFromBot(chatId: number, draft: Draft): { chat: Chat; message: ChatMessage } | Refusal {
    const crowdMember = this.countInCrowd(chatId, draft);
    if (crowdMember) return crowdMember;
    const chat = this.forBot(chatId);
    if (typeof chat === 'string') return chat;
    this.sent += 1;
    chat.received += 1;
    return { chat, message: this.add(chat, draft, 'bot', null) };
  }

  postFromUser(chat: Chat, sender: SimUser, text: string): ChatMessage {
    return this.add(chat, { text, entities: [], buttons: [], media: null }, 'user', sender);
  }

  edit(chat: Chat, message: ChatMessage, change: Partial<Draft>): void {
    Object.assign(message, change, { editedAt: this.ids.now() });
    this.edited += 1;
    this.changed(chat);
  }

  delete(chat: Chat, id: MessageId): boolean {
    const existed = chat.messages.delete(id);
    if (existed) this.changed(chat);
    return existed;
  }

  toast(chat: Chat, text: string, alert: boolean): void {
    const n = (chat.toasts.at(-1)?.n ?? 0) + 1;
    chat.toasts = [...chat.toasts, { n, text, alert }].slice(-TOASTS_KEPT);
    this.changed(chat);
  }

  changed(chat: Chat): void {
    for (const watcher of chat.watchers) watcher();
  }

  find(chatId: number): Chat | undefined {
    return this.chats.get(chatId);
  }

  all(): Iterable<Chat> {
    return this.chats.values();
  }

  private countInCrowd(chatId: number, draft: Draft): { chat: Chat; message: ChatMessage } | undefined {
    if (chatId === this.ids.group) return undefined;
    const userId = this.ids.userOf(chatId);
    const crowd = this.people.uncountedCrowdOf(userId);
    if (!crowd) return undefined;
    const index = userId - crowd.from;
    crowd.received[index] = (crowd.received[index] ?? 0) + 1;
    this.sent += 1;
    const passer: SimUser = {
      id: userId,
      name: String(userId),
      firstName: String(userId),
      username: null,
      languageCode: null,
      started: true,
      blocked: false,
    };
    const chat = emptyChat(chatId, passer);
    return { chat, message: this.add(chat, draft, 'bot', null) };
  }

  private add(chat: Chat, draft: Draft, from: 'bot' | 'user', sender: SimUser | null): ChatMessage {
    const message = {
      ...draft,
      id: this.ids.nextMessage(),
      from,
      sender,
      at: this.ids.now(),
      editedAt: null,
    };
    chat.messages.set(message.id, message);
    this.changed(chat);
    return message;
  }

  private getOrOpen(id: number, user: SimUser | null): Chat {
    const known = this.chats.get(id);
    if (known) return known;
    const chat = emptyChat(id, user);
    this.chats.set(id, chat);
    return chat;
  }
}

function emptyChat(id: number, user: SimUser | null): Chat {
  return { id, user, messages: new Map(), toasts: [], received: 0, watchers: new Set() };
}

/** The newest message that still has buttons: the one a person would tap. */
export function newestWithButtons(chat: Chat): ChatMessage | undefined {
  return [...chat.messages.values()].reverse().find((message) => message.buttons.length > 0);
}
