/** A success within this time is fast. */
export const FAST_MS = 500;

/**
 * Which endpoints answered fast when this process last heard from them. An attempt on a fast endpoint may be made as a
 * local activity, inside the workflow task: that halves the server's work and holds one of the workflow-task slots for a
 * few milliseconds only.
 */
export interface FastEndpoints {
  isFast(endpointId: string): boolean;
  note(endpointId: string, attempt: { succeeded: boolean; durationMs: number }): void;
  /**
   * A slot for one attempt inside a workflow task, to be released; null where all are taken. Should fast endpoints begin
   * to hang all together, most workflow-task slots stay free.
   */
  acquireSlot(): { release(): void } | null;
}

const REMEMBERED = 10_000;
const SLOTS = 20;

export function createFastEndpoints(): FastEndpoints {
  const fast = new Set<string>();
  let taken = 0;
  return {
    isFast: (endpointId) => fast.has(endpointId),
    note(endpointId, { succeeded, durationMs }) {
      fast.delete(endpointId);
      if (!succeeded || durationMs > FAST_MS) return;
      fast.add(endpointId);
      // A set keeps the order of insertion: the first one is the oldest.
      if (fast.size > REMEMBERED) fast.delete(fast.values().next().value as string);
    },
    acquireSlot() {
      if (taken >= SLOTS) return null;
      taken += 1;
      return { release: () => void (taken -= 1) };
    },
  };
}
