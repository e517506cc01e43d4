import type { Dispatcher } from 'undici';
import { limits } from '../../base/contract/limits';
import { rejectOnAbort, withAbortAfter } from '../../base/lib/timeout';
import { vetUrl, type VettedUrl } from '../../base/outbound/addresses';
import { createVettedConnector } from '../../base/outbound/dial';
import { createProjectAgent, projectOrigin } from '../../base/outbound/project-agent';
import { type AttemptError, describeError, type ErrorWord, failure } from './attempt-error';
import type { OwnHeaders } from './contract';
import { deliveryHeaders } from './headers';
import { maskHeaders } from './own-headers';
import type { Lookup } from '../../base/outbound/lookup';
import { captureBody, keepHeaders, parseRetryAfter } from './response';

export interface AttempterOptions {
  allowLocal: boolean;
  /**
   * Connections of one project to one origin. Neither origins nor projects share connections, so a hanging endpoint delays no
   * endpoint elsewhere and none of another project.
   */
  connections?: number;
  /** For the whole attempt: name lookup, connection, response and the end of its body. */
  timeoutMs?: number;
  lookup?: Lookup;
  /** Certificate authorities to trust in place of the system's. */
  ca?: string;
}

export interface AttemptInput {
  projectId: string;
  url: string;
  deliveryId: string;
  event: string;
  test?: boolean;
  body: string | Buffer;
  /** Every secret that signs at this moment, newest first. */
  secrets: readonly string[];
  /** Sent besides Herald's own; their values are masked in the result. */
  ownHeaders?: OwnHeaders;
  /** The time in the signature; the present when left out. */
  timestampSeconds?: number;
  signal?: AbortSignal;
}

export interface AttemptResult {
  /** The status of a complete response; null when there was none. */
  status: number | null;
  /** Set when there was no complete response, and for a redirect, which is never followed. */
  error: ErrorWord | null;
  errorDetail: string | null;
  durationMs: number;
  /** As sent; null when nothing was. */
  requestHeaders: Record<string, string> | null;
  /** The first 16 KiB. */
  responseBody: string | null;
  responseHeaders: Record<string, string>;
  retryAfterMs: number | null;
}

export interface Attempter {
  /** One signed POST. Whatever the receiver does is returned, never thrown. */
  attempt(input: AttemptInput): Promise<AttemptResult>;
  /** Ends every connection; attempts in flight end as `aborted`. */
  close(): Promise<void>;
}

export function createAttempter(options: AttempterOptions): Attempter {
  const { allowLocal, timeoutMs = 1_000 * limits.webhookAttemptSeconds, connections = 64 } = options;
  const agent = createProjectAgent({
    connect: createVettedConnector({ ...options, timeoutMs }),
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
    allowH2: false,
    // The attempt's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const dispatcher = agent.compose(noticeSending);
  const vetted = createVetter(allowLocal);

  async function attempt(input: AttemptInput): Promise<AttemptResult> {
    const started = performance.now();
    const body = typeof input.body === 'string' ? Buffer.from(input.body) : input.body;
    const timestampSeconds = input.timestampSeconds ?? Math.floor(Date.now() / 1_000);
    const { ownHeaders = {} } = input;
    const signed = deliveryHeaders({ ...input, body, timestampSeconds });
    // They share no name: those that Herald sets are refused when an endpoint is saved.
    const headers = { ...ownHeaders, ...signed };
    const shown = { ...maskHeaders(ownHeaders), ...signed };
    let sent = false;
    const failed = ({ word, detail }: AttemptError): AttemptResult => ({
      status: null,
      error: word,
      errorDetail: detail,
      durationMs: elapsedSince(started),
      requestHeaders: sent ? shown : null,
      responseBody: null,
      responseHeaders: {},
      retryAfterMs: null,
    });

    // Saved URLs are vetted again: the setting, the rules or the row may have changed since.
    const target = vetted(input.url);
    if (!target.ok) return failed(failure('forbidden_address', `the URL ${target.why}`));
    if (input.signal?.aborted) return failed(failure('aborted', 'the attempt was aborted'));

    const { signal: given } = input;
    return withAbortAfter(given, timeoutMs, async (signal) => {
      let statusCode: number | null = null;
      try {
        const posted = dispatcher.request<OnSend>({
          origin: projectOrigin(target.url, input.projectId),
          path: target.url.pathname + target.url.search,
          method: 'POST',
          headers,
          body,
          signal,
          opaque: () => (sent = true),
        });
        // A request that still waits for its connection does not react to the signal.
        const response = await Promise.race([posted, rejectOnAbort(signal)]);
        statusCode = response.statusCode;
        // Cutting a long body short also emits an error, which the loop over the body has handled.
        response.body.on('error', () => undefined);
        const responseBody = await captureBody(response.body);
        const isRedirect = statusCode >= 300 && statusCode < 400;
        return {
          status: statusCode,
          error: isRedirect ? 'redirect' : null,
          errorDetail: isRedirect ? 'the receiver sent a redirect, which is not followed' : null,
          durationMs: elapsedSince(started),
          requestHeaders: shown,
          responseBody,
          responseHeaders: keepHeaders(response.headers),
          retryAfterMs: parseRetryAfter(String(response.headers['retry-after'] ?? ''), Date.now()),
        };
      } catch (error) {
        if (!signal.aborted) return failed(describeError(error));
        // The reason of the caller's own signal is passed on as it is; any other is the deadline.
        if (given?.aborted && signal.reason === given.reason) {
          return failed(failure('aborted', 'the attempt was aborted'));
        }
        return failed(timedOut(timeoutMs, statusCode));
      }
    });
  }

  return { attempt, close: () => agent.destroy() };
}

/** URLs whose text was vetted. Their addresses are vetted with each connection. */
const MAX_VETTED_URLS = 1_000;

function createVetter(allowLocal: boolean): (url: string) => VettedUrl {
  const known = new Map<string, VettedUrl>();
  return (url) => {
    const found = known.get(url);
    if (found) return found;
    if (known.size >= MAX_VETTED_URLS) known.clear();
    const result = vetUrl(url, { allowLocal });
    known.set(url, result);
    return result;
  };
}

type OnSend = () => void;

/** Calls the request's `opaque` when undici has a connection for the request and is about to write it. */
const noticeSending: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { opaque: onSend } = options as Dispatcher.RequestOptions<OnSend>;
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    start?.(controller, context);
    // A request that was aborted while it waited for its connection is not written.
    if (!controller.aborted) onSend?.();
  };
  return dispatch(options, handler);
};

function timedOut(timeoutMs: number, statusCode: number | null): AttemptError {
  const seconds = `${timeoutMs / 1_000} s`;
  if (statusCode === null) return failure('timeout', `no response within ${seconds}`);
  return failure('timeout', `the response (${statusCode}) did not end within ${seconds}`);
}

function elapsedSince(started: number): number {
  return Math.round(performance.now() - started);
}
