import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosFixture } from './fixture';

const CALL_LIMIT_MS = 15_000;

export type Body = Record<string, unknown>;

export interface Answer {
  /** 0 if there was none. */
  status: number;
  body: Body;
}

/** Calls the API as the project does, which bears with an API that is unavailable for a while. */
export function createCaller({ apiUrl, apiKey }: ChaosFixture) {
  const caller = {
    failedCalls: 0,

    async call(
      method: string,
      route: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      try {
        const response = await fetch(apiUrl + route, {
          method,
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(CALL_LIMIT_MS),
        });
        return { status: response.status, body: (await response.json()) as Body };
      } catch {
        caller.failedCalls += 1;
        return { status: 0, body: {} };
      }
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
