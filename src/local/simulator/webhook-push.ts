import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Update, UpdateQueue } from './updates';

export interface Hook {
  url: string;
  secret: string | null;
  maxConnections: number;
  accepts: (update: Update) => boolean;
}

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;
const ATTEMPT_MS = 10_000;

/**
 * POSTs updates to a webhook, in order within a chat and in parallel across chats. Each is retried until the receiver
 * returns 200 or the webhook is removed.
 */
export class WebhookPush {
  private readonly agent = new Agent();
  private readonly chatQueues = new Map<number, Promise<void>>();
  private readonly ended = new AbortController();
  private readonly unsubscribe: () => void;
  lastError: { at: number; message: string } | null = null;

  constructor(
    private readonly queue: UpdateQueue,
    readonly hook: Hook,
    private readonly secretHeader: string,
  ) {
    this.unsubscribe = queue.onPush(() => this.startChatQueues());
    this.startChatQueues();
  }

  async stop(): Promise<void> {
    this.unsubscribe();
    this.ended.abort();
    await Promise.all(this.chatQueues.values());
    await this.agent.destroy();
  }

  private startChatQueues(): void {
    for (const update of this.queue.unacknowledged()) {
      if (this.ended.signal.aborted || this.chatQueues.size >= this.hook.maxConnections) return;
      if (this.chatQueues.has(update.chatId) || !this.hook.accepts(update)) continue;
      const chatQueue = this.drain(update.chatId).finally(() => {
        this.chatQueues.delete(update.chatId);
        this.startChatQueues();
      });
      this.chatQueues.set(update.chatId, chatQueue);
    }
  }

  private async drain(chatId: number): Promise<void> {
    let pause = FIRST_RETRY_MS;
    while (!this.ended.signal.aborted) {
      const update = this.queue
        .unacknowledged()
        .find((each) => each.chatId === chatId && this.hook.accepts(each));
      if (!update) return;
      if (await this.deliver(update)) {
        this.queue.remove(update);
        pause = FIRST_RETRY_MS;
        continue;
      }
      await sleep(pause, undefined, { signal: this.ended.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_RETRY_MS);
    }
  }

  private async deliver(update: Update): Promise<boolean> {
    try {
      const { statusCode, body } = await request(this.hook.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(this.hook.secret !== null && { [this.secretHeader]: this.hook.secret }),
        },
        body: JSON.stringify(update.body),
        dispatcher: this.agent,
        signal: AbortSignal.any([this.ended.signal, AbortSignal.timeout(ATTEMPT_MS)]),
      });
      await body.dump();
      if (statusCode === 200) return true;
      this.lastError = { at: Date.now(), message: `Wrong response from the webhook: ${statusCode}` };
    } catch (error) {
      this.lastError = { at: Date.now(), message: error instanceof Error ? error.message : String(error) };
    }
    return false;
  }
}
