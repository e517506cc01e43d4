import { Callbacks } from './callbacks';
import { CallLog } from './calls';
import {
  ChatStore,
  type Chat,
  type ChatIds,
  type ChatMessage,
  type MessageId,
  type UserExtras,
} from './chats';
import { FaultPlan, type CallFault } from './faults';
import { RateLimits } from './rate-limits';
import { UpdateQueue } from './updates';
import type { UserStore, SimUser } from './users';
import { WebhookPush, type Hook } from './webhook-push';

export type ChannelName = 'telegram' | 'max';

export interface BotIdentity {
  id: number;
  token: string;
  username: string;
}

/** The actions of a user; each becomes an update of the channel. */
export interface UserActions {
  open(user: SimUser, chat: Chat, start: string | null): void;
  say(user: SimUser, chat: Chat, text: string, extras?: UserExtras): ChatMessage;
  /** Changes an own message. */
  edit(user: SimUser, chat: Chat, message: ChatMessage, text: string): void;
  /** Returns the callback id. */
  tap(user: SimUser, chat: Chat, messageId: MessageId, data: string, stale: boolean): string;
  block(user: SimUser): void;
  unblock(user: SimUser): void;
}

/** The in-memory state of one bot. */
export class ChannelState {
  readonly callbacks = new Callbacks();
  readonly faults = new FaultPlan();
  readonly limits = new RateLimits();
  readonly calls = new CallLog();
  readonly updates = new UpdateQueue(this.faults);
  readonly chats: ChatStore;
  private push: WebhookPush | null = null;

  constructor(
    readonly channel: ChannelName,
    readonly bot: BotIdentity,
    readonly ids: ChatIds,
    private readonly secretHeader: string,
    readonly userStore: UserStore,
  ) {
    this.chats = new ChatStore(this.userStore, ids);
  }

  /** The fault for a call, if there is one: one that was asked for, or a message beyond the rate limits. */
  faultFor(method: string, chatId: number | null): CallFault | undefined {
    return this.faults.takeForCall(method, chatId) ?? this.limits.refusalOf(method, chatId);
  }

  get webhook(): WebhookPush | null {
    return this.push;
  }

  async setWebhook(hook: Hook | null): Promise<void> {
    const old = this.push;
    this.push = null;
    await old?.stop();
    if (hook) this.push = new WebhookPush(this.updates, hook, this.secretHeader);
  }

  async stop(): Promise<void> {
    this.updates.stop();
    await this.setWebhook(null);
  }
}
