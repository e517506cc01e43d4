import type { Entity } from './formatted';
import type { UserStore, SimUser } from './users';

export type MessageId = number | string;

export interface ChatButton {
  text: string;
  data?: string;
  url?: string;
}

export interface Media {
  /** The file_id on Telegram, the token on MAX. */
  id: string;
  type: 'photo' | 'video' | 'document';
  /** Empty if the file was uploaded with its message. */
  url: string;
}

/** A file that a user has sent. */
export interface UserFile {
  id: string;
  type: 'photo' | 'video' | 'document' | 'voice' | 'sticker';
  name: string | null;
  mime: string | null;
  bytes: number;
  content: Buffer;
  /** Where MAX has it. */
  url: string;
}

/** What a user's message can have besides its text. */
export interface UserExtras {
  /** Whether the message was forwarded from another chat. */
  forwarded?: boolean | undefined;
  file?: UserFile | undefined;
  /** The message of the chat that it answers. */
  replyTo?: ChatMessage | undefined;
}

export interface Draft {
  text: string;
  entities: Entity[];
  buttons: ChatButton[][];
  media: Media | null;
}

export interface ChatMessage extends Draft, UserExtras {
  id: MessageId;
  from: 'bot' | 'user';
  sender: SimUser | null;
  /** In milliseconds. */
  at: number;
  editedAt: number | null;
}

/** A notice shown over the chat. */
interface Toast {
  /** A sequence number, so that a page can recognise new toasts. */
  n: number;
  text: string;
  alert: boolean;
}

export interface Chat {
  id: number;
  /** Null in the group. */
  user: SimUser | null;
  /** In order of arrival, without deleted messages. */
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

/** Why the bot cannot act in a chat. */
export type Refusal = 'unknown' | 'blocked';

const MAX_TOASTS = 50;

export class ChatStore {
  private readonly chats = new Map<number, Chat>();
  sent = 0;
  edited = 0;

  constructor(
    private readonly userStore: UserStore,
    private readonly ids: ChatIds,
  ) {}

  dialog(user: SimUser): Chat {
    return this.getOrOpen(this.ids.dialogOf(user.id), user);
  }

  group(): Chat {
    return this.getOrOpen(this.ids.group, null);
  }

  /** The chat, or why the bot may not act in it. */
  forBot(chatId: number): Chat | Refusal {
    if (chatId === this.ids.group) return this.chats.get(chatId) ?? 'unknown';
    const user = this.userStore.find(this.ids.userOf(chatId));
    if (!user?.started) return 'unknown';
    if (user.blocked) return 'blocked';
    return this.dialog(user);
  }

  /** Adds a message of the bot to a chat; a crowd member only counts it. */
  postFromBot(chatId: number, draft: Draft): { chat: Chat; message: ChatMessage } | Refusal {
    const crowdMember = this.countInCrowd(chatId, draft);
    if (crowdMember) return crowdMember;
    const chat = this.forBot(chatId);
    if (typeof chat === 'string') return chat;
    this.sent += 1;
    chat.received += 1;
    return { chat, message: this.add(chat, draft, 'bot', null) };
  }

  postFromUser(chat: Chat, sender: SimUser, text: string, extras: UserExtras = {}): ChatMessage {
    return this.add(chat, { text, entities: [], buttons: [], media: null, ...extras }, 'user', sender);
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
    chat.toasts = [...chat.toasts, { n, text, alert }].slice(-MAX_TOASTS);
    this.changed(chat);
  }

  changed(chat: Chat): void {
    for (const watcher of chat.watchers) watcher();
  }

  find(chatId: number): Chat | undefined {
    return this.chats.get(chatId);
  }

  /** A file that a user has sent, by its id. */
  fileOf(id: string): UserFile | undefined {
    for (const chat of this.chats.values()) {
      for (const { file } of chat.messages.values()) if (file?.id === id) return file;
    }
    return undefined;
  }

  all(): Iterable<Chat> {
    return this.chats.values();
  }

  private countInCrowd(chatId: number, draft: Draft): { chat: Chat; message: ChatMessage } | undefined {
    if (chatId === this.ids.group) return undefined;
    const userId = this.ids.userOf(chatId);
    const crowd = this.userStore.crowdOfUnnamed(userId);
    if (!crowd) return undefined;
    const index = userId - crowd.from;
    crowd.received[index] = (crowd.received[index] ?? 0) + 1;
    this.sent += 1;
    const member: SimUser = {
      id: userId,
      name: String(userId),
      firstName: String(userId),
      username: null,
      languageCode: null,
      started: true,
      blocked: false,
    };
    const chat = emptyChat(chatId, member);
    return { chat, message: this.add(chat, draft, 'bot', null) };
  }

  private add(
    chat: Chat,
    draft: Draft & UserExtras,
    from: 'bot' | 'user',
    sender: SimUser | null,
  ): ChatMessage {
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
    const existing = this.chats.get(id);
    if (existing) return existing;
    const chat = emptyChat(id, user);
    this.chats.set(id, chat);
    return chat;
  }
}

function emptyChat(id: number, user: SimUser | null): Chat {
  return { id, user, messages: new Map(), toasts: [], received: 0, watchers: new Set() };
}

/** The newest message with buttons, which a user would tap. */
export function newestWithButtons(chat: Chat): ChatMessage | undefined {
  return [...chat.messages.values()].reverse().find((message) => message.buttons.length > 0);
}
