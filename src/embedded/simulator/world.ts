import { Callbacks } from './callbacks';
import { CallLog } from './calls';
import type { Chat, ChatIds, MessageId } from './chats';
import { ChatBook } from './chats';
import { FaultPlan } from './faults';
import type { SimUser } from './people';
import { People } from './people';
import { UpdateQueue } from './updates';
import type { Hook } from './webhook-push';
import { WebhookPush } from './webhook-push';

export type ChannelName = 'telegram' | 'max';

export interface BotIdentity {
  id: number;
  token: string;
  username: string;
}

/** What a person can do with the bot, in a channel's own way; each act becomes an update of that channel. */
export interface UserActs {
  open(user: SimUser, chat: Chat, start: string | null): void;
  say(user: SimUser, chat: Chat, text: string): void;
  /** answers the id of the callback */
  tap(user: SimUser, chat: Chat, messageId: MessageId, data: string, stale: boolean): string;
  block(user: SimUser): void;
  unblock(user: SimUser): void;
}

/** All that one channel remembers; gone with the process. */
export class World {
  readonly people = new People();
  readonly callbacks = new Callbacks();
  readonly faults = new FaultPlan();
  readonly calls = new CallLog();
  readonly updates = new UpdateQueue(this.faults);
  readonly chats: ChatBook;
  private push: WebhookPush | null = null;

  constructor(
    readonly channel: ChannelName,
    readonly bot: BotIdentity,
    ids: ChatIds,
    private readonly secretHeader: string,
  ) {
    this.chats = new ChatBook(this.people, ids);
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
