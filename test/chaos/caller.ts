import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';

export type Body = Record<string, unknown>;

export interface Answer {
  /** 0: no response. */
  status: number;
  body: Body;
}

/** Calls the API as a project does, which bears with an API that is unavailable for a while. */
export interface Caller {
  readonly failedCalls: number;
  call(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same request under one Idempotency-Key until it is answered, as a careful client does. Null: it gave up. */
  insist(method: string, route: string, body?: unknown): Promise<Answer | null>;
}

/** Requests by their outcome, and how long those took that were answered. */
export interface CallCounts {
  answered: number;
  /** 429 and 503: to be repeated. */
  shed: number;
  /** Other responses of 500 and above. */
  errors: number;
  /** No response. */
  lost: number;
}

export const newCallCounts = (): CallCounts => ({ answered: 0, shed: 0, errors: 0, lost: 0 });

const CALL_LIMIT_MS = 15_000;
const INSIST_MS = 120_000;

/** A connection for each request: which process of the API answers is chosen anew, as a load balancer does. */
const dispatcher = new Agent({ pipelining: 0, connections: 200 });

export function createCaller(
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  counts = newCallCounts(),
): Caller {
  const caller: Caller = {
    get failedCalls() {
      return counts.lost;
    },
    async call(method, route, body, headers = {}) {
      try {
        const response = await fetch(apiUrl + route, {
          method,
          dispatcher,
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(CALL_LIMIT_MS),
        });
        const text = await response.text();
        if (response.status === 429 || response.status === 503) counts.shed += 1;
        else if (response.status >= 500) counts.errors += 1;
        else counts.answered += 1;
        return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Body) };
      } catch {
        counts.lost += 1;
        return { status: 0, body: {} };
      }
    },
    async insist(method, route, body) {
      const headers = { 'idempotency-key': randomUUID() };
      const end = Date.now() + INSIST_MS;
      while (Date.now() < end) {
        const answer = await caller.call(method, route, body, headers);
        // 409: the request before it, which got no response, is still at work.
        const isOpen =
          answer.status === 0 || answer.status === 409 || answer.status === 429 || answer.status >= 500;
        if (!isOpen) return answer;
        await sleep(500);
      }
      return null;
    },
  };
  return caller;
}

/** Again until it is answered as wished, or until the patience of a user is over. */
export async function until<T>(
  patienceMs: number,
  look: () => Promise<T | null | undefined>,
): Promise<T | null> {
  const end = Date.now() + patienceMs;
  while (Date.now() < end) {
    const found = await look().catch(() => null);
    if (found !== null && found !== undefined) return found;
    await sleep(300);
  }
  return null;
}

/** Waits until nothing is left. A backlog on a busy machine is not stuck as long as it gets shorter: false after `stuckMs` without progress. */
export async function untilNoneLeft(stuckMs: number, countLeft: () => Promise<number>): Promise<boolean> {
  let fewest = Infinity;
  let progressAt = Date.now();
  do {
    await sleep(500);
    const left = await countLeft();
    if (left === 0) return true;
    if (left < fewest) {
      fewest = left;
      progressAt = Date.now();
    }
  } while (Date.now() - progressAt < stuckMs);
  return false;
}
