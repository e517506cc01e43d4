import { limits } from '../contracts/limits';

/**
 * What this process knows of endpoints that keep their callers waiting. Twenty attempts that begin in the same moment
 * also time out in the same moment, and everybody feels it; then the next twenty begin. Attempts on a slow endpoint
 * therefore begin one after another, as far apart as its slots become free on average: it gets as many as before.
 */
export interface SlowEndpoints {
  /** How long an attempt on the endpoint took. */
  note(endpointId: string, durationMs: number): void;
  /** An attempt on the endpoint is about to begin. */
  begun(endpointId: string): void;
  /** For each slow endpoint how many attempts may begin now. */
  allowances(): { ids: string[]; counts: number[] };
}

const SLOW_MS = 2_000;
/** A relay that looks once in a second may begin what the second has brought. */
const SAVED_MS = 1_000;
const REMEMBERED = 1_000;

export function createSlowEndpoints(clock: () => number = () => performance.now()): SlowEndpoints {
  /** `due` is when the next attempt may begin. */
  const slow = new Map<string, { apartMs: number; due: number }>();
  return {
    note(endpointId, durationMs) {
      const due = slow.get(endpointId)?.due ?? clock();
      slow.delete(endpointId);
      if (durationMs < SLOW_MS) return;
      slow.set(endpointId, { apartMs: durationMs / limits.webhookConcurrencyPerEndpoint, due });
      // The one that was heard of longest ago.
      if (slow.size > REMEMBERED) slow.delete(slow.keys().next().value as string);
    },
    begun(endpointId) {
      const known = slow.get(endpointId);
      if (known) known.due = Math.max(known.due, clock() - SAVED_MS) + known.apartMs;
    },
    allowances() {
      const now = clock();
      const counts = [...slow.values()].map(({ apartMs, due }) =>
        due > now ? 0 : 1 + Math.floor(Math.min(now - due, SAVED_MS) / apartMs),
      );
      return { ids: [...slow.keys()], counts };
    },
  };
}
