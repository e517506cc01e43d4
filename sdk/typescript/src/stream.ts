import { HeraldConnectionError, HeraldError } from './errors';
import type { HeraldFile } from './file';
import { backoff, sleep, type RequestOptions } from './transport';
import type { WebhookEvent } from './webhooks';

/** An event of the stream: `event` says which type `data` has. */
export type StreamedEvent = WebhookEvent & {
  /** Pass it as `lastEventId` to go on after this event. */
  event_id: string;
  /** A test event: its data is a sample. */
  test: boolean;
  created_at: string;
  /** The text that endpoints get. */
  body: string;
};

export interface StreamOptions extends RequestOptions {
  /** Goes on after this event, if it is not older than an hour. */
  lastEventId?: string | undefined;
  /** Called each time the stream is open. */
  onOpen?: (() => void) | undefined;
  /** Called when the connection is lost; it is opened again after `retryMs`. */
  onInterrupted?: ((error: Error, retryMs: number) => void) | undefined;
  /** Called when the stream could not go on after the last event: events were missed. */
  onGap?: (() => void) | undefined;
}

/** The service sends something at least every 15 seconds. */
const SILENT_MS = 45_000;

/** Events as they happen, without an end: a lost connection is opened again and goes on after the last event. */
export async function* followEvents(
  open: (options: RequestOptions) => Promise<HeraldFile>,
  { lastEventId, onOpen, onInterrupted, onGap, ...options }: StreamOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  let lastId = lastEventId;
  for (let failures = 0; ; failures++) {
    const connection = connectionOf(options.signal);
    let lost: Error = new HeraldConnectionError('The stream has ended.');
    try {
      const headers = {
        ...options.headers,
        accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      };
      const file = await open({ ...options, headers, signal: connection.signal });
      failures = 0;
      onOpen?.();
      for await (const { type, data, id } of readMessages(connection.watched(file.stream()))) {
        lastId = id ?? lastId;
        if (type === 'gap') onGap?.();
        if (type === 'message') yield eventOf(data);
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof HeraldError && !error.retryable) throw error;
      if (!isOfConnection(error)) throw error;
      lost = error;
    } finally {
      connection.close();
    }
    const retryMs = backoff(failures);
    onInterrupted?.(lost, retryMs);
    await sleep(retryMs, options.signal);
  }
}

function eventOf(data: string): StreamedEvent {
  const streamed = JSON.parse(data) as Omit<StreamedEvent, 'data'>;
  return { ...streamed, ...(JSON.parse(streamed.body) as WebhookEvent) } as StreamedEvent;
}

/** A response that breaks off is a TypeError of fetch. */
function isOfConnection(error: unknown): error is Error {
  return error instanceof HeraldError || error instanceof HeraldConnectionError || error instanceof TypeError;
}

/** Ends one response: with the caller's signal, or when nothing has come for too long. */
function connectionOf(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const end = () => controller.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    const error = new HeraldConnectionError(`Nothing was received for ${SILENT_MS} ms.`);
    timer = setTimeout(() => controller.abort(error), SILENT_MS);
  };
  return {
    signal: controller.signal,
    async *watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      wait();
      for await (const chunk of chunks) {
        // The time that the caller takes is not the connection's.
        clearTimeout(timer);
        yield chunk;
        wait();
      }
    },
    close(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      controller.abort();
    },
  };
}

interface Message {
  /** `place`: without data, only to resume from its id. */
  type: string;
  data: string;
  id: string | undefined;
}

/** The messages of a stream of server-sent events. */
export async function* readMessages(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Message, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const values = (name: string) =>
        message
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2));
      const data = values('data').join('\n');
      const [id] = values('id');
      if (data !== '') yield { type: values('event')[0] ?? 'message', data, id };
      else if (id !== undefined) yield { type: 'place', data, id };
    }
  }
}
