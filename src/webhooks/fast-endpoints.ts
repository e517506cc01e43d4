/**
 * What this process knows of endpoints that answer quickly. An attempt on one of those may be made inside a workflow
 * task: that saves the server half of its work, and holds one of the slots that everybody needs for a few
 * milliseconds only.
 */
export interface QuickEndpoints {
  isQuick(endpointId: string): boolean;
  /** How an attempt on the endpoint went. */
  note(endpointId: string, attempt: { succeeded: boolean; durationMs: number }): void;
  /**
   * A place for one attempt inside a workflow task, to be left again; null where too many are taken: should endpoints
   * that were quick begin to hang all at once, most slots stay free.
   */
  takePlace(): { leave(): void } | null;
}

const QUICK_MS = 500;
const REMEMBERED = 10_000;
const PLACES = 20;

export function createQuickEndpoints(): QuickEndpoints {
  const quick = new Set<string>();
  let taken = 0;
  return {
    isQuick: (endpointId) => quick.has(endpointId),
    note(endpointId, { succeeded, durationMs }) {
      quick.delete(endpointId);
      if (!succeeded || durationMs > QUICK_MS) return;
      quick.add(endpointId);
      // The one that was heard of longest ago.
      if (quick.size > REMEMBERED) quick.delete(quick.values().next().value as string);
    },
    takePlace() {
      if (taken >= PLACES) return null;
      taken += 1;
      return { leave: () => void (taken -= 1) };
    },
  };
}
