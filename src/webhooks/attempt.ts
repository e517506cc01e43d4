import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { vettedAddresses, vetUrl } from '../outbound/addresses';
import { type AttemptError, describeError, type ErrorWord, failure } from './attempt-error';
import { deliveryHeaders } from './headers';
import { type Lookup, systemLookup } from '../outbound/lookup';
import { captureBody, keepHeaders, parseRetryAfter } from './response';

export interface AttempterOptions {
  allowLocal: boolean;
  /** Connections to one origin. Origins never share any, so a hanging one holds up nobody else. */
  connections?: number;
  /** For the whole attempt: name lookup, connection, answer and the end of its body. */
  timeoutMs?: number;
  lookup?: Lookup;
  /** Certificate authorities to trust in place of the system's. */
  ca?: string;
}

export interface AttemptInput {
  url: string;
  deliveryId: string;
  event: string;
  body: string | Buffer;
  /** Every secret that signs at this moment, newest first. */
  secrets: readonly string[];
  /** The time in the signature; the present when left out. */
  timestampSeconds?: number;
  signal?: AbortSignal;
}

export interface AttemptResult {
  /** The status of a complete answer; null when there was none. */
  status: number | null;
  /** Set when there was no complete answer, and for a redirect, which is never followed. */
  error: ErrorWord | null;
  errorDetail: string | null;
  durationMs: number;
  /** The first 16 KiB. */
  responseBody: string | null;
  responseHeaders: Record<string, string>;
  retryAfterMs: number | null;
}

export interface Attempter {
  /** One signed POST. Whatever the receiver does is a returned value; nothing it does throws. */
  attempt(input: AttemptInput): Promise<AttemptResult>;
  /** Ends every connection; attempts under way end as `aborted`. */
  close(): Promise<void>;
}

export function createAttempter(options: AttempterOptions): Attempter {
  const { allowLocal, timeoutMs = 10_000, connections = 64 } = options;
  const agent = new Agent({
    connect: createVettedConnector(options, timeoutMs),
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

  async function attempt(input: AttemptInput): Promise<AttemptResult> {
    const started = performance.now();
    const body = typeof input.body === 'string' ? Buffer.from(input.body) : input.body;
    const timestampSeconds = input.timestampSeconds ?? Math.floor(Date.now() / 1_000);
    const headers = deliveryHeaders({ ...input, body, timestampSeconds });
    const failed = ({ word, detail }: AttemptError): AttemptResult => ({
      status: null,
      error: word,
      errorDetail: detail,
      durationMs: elapsedSince(started),
      responseBody: null,
      responseHeaders: {},
      retryAfterMs: null,
    });

    // Saved URLs are vetted again: the setting, the rules or the row may have changed since.
    const vetted = vetUrl(input.url, { allowLocal });
    if (!vetted.ok) return failed(failure('forbidden_address', `the URL ${vetted.why}`));
    if (input.signal?.aborted) return failed(failure('aborted', 'the attempt was called off'));

    const deadline = startDeadline(timeoutMs, input.signal);
    let answered: number | null = null;
    try {
      const posted = agent.request({
        origin: vetted.url.origin,
        path: vetted.url.pathname + vetted.url.search,
        method: 'POST',
        headers,
        body,
        signal: deadline.signal,
      });
      // A request that still waits for its connection does not hear the signal before it has one.
      const response = await Promise.race([posted, deadline.passed]);
      answered = response.statusCode;
      // Cutting a long body short is reported as an error event as well; the loop over the body tells enough.
      response.body.on('error', () => undefined);
      const responseBody = await captureBody(response.body);
      const isRedirect = answered >= 300 && answered < 400;
      return {
        status: answered,
        error: isRedirect ? 'redirect' : null,
        errorDetail: isRedirect ? 'the receiver answered with a redirect, which is not followed' : null,
        durationMs: elapsedSince(started),
        responseBody,
        responseHeaders: keepHeaders(response.headers),
        retryAfterMs: parseRetryAfter(String(response.headers['retry-after'] ?? ''), Date.now()),
      };
    } catch (error) {
      return failed(deadline.reason(answered) ?? describeError(error));
    } finally {
      deadline.clear();
    }
  }

  return { attempt, close: () => agent.destroy() };
}

/**
 * Dials only what was vetted: the lookup inside the connection attempt returns the very addresses it checked,
 * so a name cannot change between check and dial; IP literals never reach a lookup and are checked here.
 */
function createVettedConnector(options: AttempterOptions, timeoutMs: number): buildConnector.connector {
  const { allowLocal, lookup = systemLookup, ca } = options;

  const vettedLookup: LookupFunction = (hostname, { all, family }, callback) => {
    vettedAddresses(hostname, { allowLocal }, lookup).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) return callback(null, found);
        const chosen = found.find((each) => !family || each.family === family) ?? found[0]!;
        callback(null, chosen.address, chosen.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };

  const connect = buildConnector({
    lookup: vettedLookup,
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    // Node's default of 250 ms gives up on receivers that are merely far away.
    autoSelectFamilyAttemptTimeout: 2_000,
    ...(ca === undefined ? {} : { ca }),
  });

  return (target, callback) => {
    if (isIP(target.hostname) === 0) return connect(target, callback);
    vettedAddresses(target.hostname, { allowLocal }, lookup).then(
      () => connect(target, callback),
      (error: Error) => callback(error, null),
    );
  };
}

interface Deadline {
  signal: AbortSignal;
  /** Rejects when the signal fires. */
  passed: Promise<never>;
  /** Why the attempt was cut off, or null when it was not. */
  reason(answered: number | null): AttemptError | null;
  clear(): void;
}

function startDeadline(timeoutMs: number, callOff: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, timeoutMs);
  const onCallOff = () => controller.abort();
  callOff?.addEventListener('abort', onCallOff, { once: true });
  const passed = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(new Error('cut off')), { once: true });
  });
  // While the body is read nobody listens any more: the signal destroys the body instead.
  passed.catch(() => undefined);
  return {
    signal: controller.signal,
    passed,
    reason(answered) {
      if (isOver) {
        const seconds = `${timeoutMs / 1_000} s`;
        if (answered === null) return failure('timeout', `no answer within ${seconds}`);
        return failure('timeout', `the answer (${answered}) did not end within ${seconds}`);
      }
      return callOff?.aborted ? failure('aborted', 'the attempt was called off') : null;
    },
    clear() {
      clearTimeout(timer);
      callOff?.removeEventListener('abort', onCallOff);
    },
  };
}

function elapsedSince(started: number): number {
  return Math.round(performance.now() - started);
}
