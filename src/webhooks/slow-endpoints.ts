import { limits } from '../contract/limits';
import type { Allowances } from './queries/starts';

/**
 * What this process knows of endpoints that keep their callers waiting. Attempts that begin in the same moment also time
 * out in the same moment, and everybody else feels it. So attempts on a slow endpoint begin one after another:
 *
 * - one that succeeds slowly, as far apart as its slots become free on average: it gets as many as before;
 * - one that has not answered at all for half a second, a second apart, until it does;
 * - one that fails slowly, further apart with each failure: nobody gains from twenty attempts that hang.
 *
 * The last two begin at their own time and never with somebody else's delivery: what begins together also times out
 * together, ten seconds later to the millisecond, and meets whoever comes every second or every tenth of one.
 *
 * The first quick answer, whatever it says, ends all of this.
 */
export interface SlowEndpoints {
  /** An attempt on the endpoint is about to begin. */
  begun(endpointId: string): void;
  /** How an attempt on the endpoint went. */
  note(endpointId: string, attempt: { succeeded: boolean; durationMs: number }): void;
  /** How long no attempt on the endpoint may begin; 0 where one may begin now, in any look. */
  heldBackMs(endpointId: string): number;
  /** For each endpoint that is held back: how many attempts may begin now; `inPassing`, in a look made for others. */
  allowances(look: { inPassing: boolean }): Allowances;
}

const SLOW_MS = 2_000;
const SILENT_MS = 500;
const SILENT_APART_MS = 1_000;
const MOST_APART_MS = 8_000;
/** A relay that looks once in a second may begin what the second has brought. */
const SAVED_MS = 1_000;
const REMEMBERED = 10_000;

interface Endpoint {
  /** When the first attempt began that nothing was heard after; null while nobody waits. */
  silentSince: number | null;
  /** How far apart its attempts begin; 0: it is not held back. */
  apartMs: number;
  /** Whether its last slow attempt succeeded. */
  succeeds: boolean;
  /** When the next attempt may begin. */
  due: number;
}

export function createSlowEndpoints(clock: () => number = () => performance.now()): SlowEndpoints {
  const endpoints = new Map<string, Endpoint>();

  function apartOf({ silentSince, apartMs }: Endpoint, now: number): number {
    if (apartMs > 0 || silentSince === null || now - silentSince < SILENT_MS) return apartMs;
    return SILENT_APART_MS;
  }

  function remember(endpointId: string, endpoint: Endpoint): void {
    endpoints.delete(endpointId);
    endpoints.set(endpointId, endpoint);
    // The one that was heard of longest ago.
    if (endpoints.size > REMEMBERED) endpoints.delete(endpoints.keys().next().value as string);
  }

  return {
    begun(endpointId) {
      const now = clock();
      const known = endpoints.get(endpointId);
      if (!known) return remember(endpointId, { silentSince: now, apartMs: 0, succeeds: false, due: now });
      const apart = apartOf(known, now);
      known.silentSince ??= now;
      known.due = apart === 0 ? now : Math.max(known.due, now - SAVED_MS) + apart;
    },
    note(endpointId, { succeeded, durationMs }) {
      const known = endpoints.get(endpointId);
      if (durationMs < SLOW_MS) return void endpoints.delete(endpointId);
      const onAverage = durationMs / limits.webhookConcurrencyPerEndpoint;
      const apartMs = succeeded
        ? onAverage
        : Math.min(MOST_APART_MS, Math.max(onAverage, 2 * (known?.apartMs ?? 0)));
      remember(endpointId, { silentSince: null, apartMs, succeeds: succeeded, due: known?.due ?? clock() });
    },
    heldBackMs(endpointId) {
      const known = endpoints.get(endpointId);
      const now = clock();
      if (!known || apartOf(known, now) === 0) return 0;
      return Math.max(known.succeeds ? 0 : 1, Math.ceil(known.due - now));
    },
    allowances({ inPassing }) {
      const now = clock();
      const ids: string[] = [];
      const counts: number[] = [];
      for (const [id, endpoint] of endpoints) {
        const apart = apartOf(endpoint, now);
        if (apart === 0) continue;
        const saved = Math.min(now - endpoint.due, SAVED_MS);
        const mayBegin = saved >= 0 && (endpoint.succeeds || !inPassing);
        ids.push(id);
        counts.push(mayBegin ? 1 + Math.floor(saved / apart) : 0);
      }
      return { ids, counts };
    },
  };
}
