import { randomUUID } from 'node:crypto';
import { errorOf, HeraldConnectionError, HeraldError } from './errors';
import { HeraldFile } from './file';

export interface RequestOptions {
  /** Sent instead of a random one, so that a request repeated by your own code happens once. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** The time limit of one attempt, until the response has begun. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
}

export interface HeraldOptions {
  /** Default: the environment variable HERALD_API_KEY. */
  apiKey?: string | undefined;
  /** Default: the environment variable HERALD_URL. */
  baseUrl?: string | undefined;
  /** Default: 30 seconds, and what a long poll waits. */
  timeoutMs?: number | undefined;
  /** Retries of one request after the first attempt. Default: 3. */
  maxRetries?: number | undefined;
  /** A Retry-After above this is not waited for: the error is thrown. Default: 60 seconds. */
  maxRetryWaitMs?: number | undefined;
  /** Default: the global fetch. */
  fetch?: typeof fetch | undefined;
}

/** A file in memory; what `readFile` returns is one. */
export type Bytes = Uint8Array | ArrayBuffer | Blob;

export interface ApiRequest {
  method: string;
  path: string;
  query?: object;
  body?: object;
  /** A body that is not JSON. */
  raw?: { type: string; content: string | Bytes };
  /** The route takes an Idempotency-Key. */
  keyed?: boolean;
  /** Default: JSON. */
  returns?: 'file' | 'nothing';
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 3;
const DEFAULT_MAX_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/** Sends requests, and repeats those that a temporary fault stopped. */
export class Transport {
  private readonly apiKey: string | undefined;
  private readonly baseUrl: string;
  private readonly timeoutMs: number;
  private readonly maxRetries: number;
  private readonly maxRetryWaitMs: number;
  private readonly fetch: typeof fetch;

  constructor(options: HeraldOptions) {
    const baseUrl = options.baseUrl ?? process.env['HERALD_URL'];
    if (!baseUrl) throw new TypeError('Pass baseUrl, or set HERALD_URL: the URL of the Herald service.');
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.apiKey = options.apiKey ?? process.env['HERALD_API_KEY'];
    // Such as the ellipsis of a sample: no header can carry it.
    if (this.apiKey && !/^[\x21-\x7e]+$/.test(this.apiKey)) {
      throw new TypeError('The API key has characters that no key has. Put in your own key.');
    }
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
    this.maxRetryWaitMs = options.maxRetryWaitMs ?? DEFAULT_MAX_WAIT_MS;
    this.fetch = options.fetch ?? fetch;
  }

  async request<T>(request: ApiRequest, options: RequestOptions): Promise<T> {
    const key = request.keyed ? (options.idempotencyKey ?? randomUUID()) : undefined;
    const headers = this.headersOf(request, options, key);
    // Without its key, a POST whose response was lost could happen twice.
    const isRepeatable = request.method !== 'POST' || key !== undefined;
    const maxRetries = options.maxRetries ?? this.maxRetries;
    for (let retry = 0; ; retry++) {
      try {
        return (await this.attempt(request, options, headers)) as T;
      } catch (error) {
        options.signal?.throwIfAborted();
        const waitMs = retry < maxRetries ? this.waitAfter(error, retry, isRepeatable) : null;
        if (waitMs === null) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  private headersOf(
    { body, raw, returns }: ApiRequest,
    options: RequestOptions,
    key: string | undefined,
  ): Record<string, string> {
    return {
      ...(returns === 'file' ? {} : { accept: 'application/json' }),
      ...(this.apiKey ? { authorization: `Bearer ${this.apiKey}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(raw ? { 'content-type': raw.type } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...options.headers,
    };
  }

  private async attempt(
    request: ApiRequest,
    options: RequestOptions,
    headers: Record<string, string>,
  ): Promise<unknown> {
    const { method, path, query = {}, body, raw, returns } = request;
    const wait = Number((query as { wait?: unknown }).wait ?? 0);
    const limitMs = (options.timeoutMs ?? this.timeoutMs) + (wait > 0 ? wait * 1000 : 0);
    const controller = new AbortController();
    const abort = () => controller.abort(options.signal?.reason);
    if (options.signal?.aborted) abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(
      () => controller.abort(new HeraldConnectionError(`No response within ${limitMs} ms.`)),
      limitMs,
    );
    let response: Response;
    let content = '';
    try {
      response = await this.fetch(this.baseUrl + path + queryText(query), {
        method,
        headers,
        signal: controller.signal,
        redirect: 'manual',
        ...(raw
          ? { body: raw.content as NonNullable<RequestInit['body']> }
          : body
            ? { body: JSON.stringify(body) }
            : {}),
      });
      // A file is read by the caller, for as long as it takes; the caller's signal still ends it.
      if (response.ok && returns === 'file') return new HeraldFile(response);
      content = await response.text();
    } catch (error) {
      throw connectionError(error);
    } finally {
      clearTimeout(timer);
      if (returns !== 'file') options.signal?.removeEventListener('abort', abort);
    }
    if (!response.ok) throw errorOf(response, content);
    return returns === 'nothing' ? undefined : parsed(content);
  }

  /** How long to wait before the next attempt, or null if there is none. */
  private waitAfter(error: unknown, retry: number, isRepeatable: boolean): number | null {
    const backoffMs = backoff(retry);
    if (error instanceof HeraldConnectionError) return isRepeatable ? backoffMs : null;
    if (!(error instanceof HeraldError)) return null;
    // An earlier attempt of the same key is still being carried out.
    const isInProgress = error.code === 'request_in_progress';
    if (!error.retryable && !isInProgress) return null;
    // What is no envelope of Herald may come from a proxy that had passed the request on.
    if (error.code === 'unknown_error' && !isRepeatable) return null;
    if (error.retryAfterSeconds === null) return backoffMs;
    const waitMs = error.retryAfterSeconds * 1000;
    return waitMs <= this.maxRetryWaitMs ? waitMs : null;
  }
}

/** A path with its parameters encoded; a value that would lead to another path is refused. */
export function pathOf(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((path, part, at) => path + segment(values[at - 1]) + part);
}

function segment(value: string | undefined): string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`An id in the path must be a text that is not empty, not ${JSON.stringify(value)}.`);
  }
  return encodeURIComponent(value);
}

function queryText(query: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.append(name, String(value));
  }
  return given.size === 0 ? '' : `?${given.toString()}`;
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new HeraldConnectionError('The response is not JSON: is baseUrl the URL of Herald?', { cause });
  }
}

/** fetch throws TypeError for every network fault. */
function connectionError(error: unknown): unknown {
  if (error instanceof HeraldConnectionError) return error;
  if (!(error instanceof TypeError)) return error;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new HeraldConnectionError(`The service could not be reached${cause}.`, { cause: error });
}

/** Exponential, with jitter. */
export function backoff(retry: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry) * (0.5 + Math.random() / 2);
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
