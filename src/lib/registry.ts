/** A list of what higher rooms contribute to a lower one. `src/roles/domains.ts` fills it at start-up. */
export interface Registry<T> {
  register(...entries: T[]): void;
  entries(): readonly T[];
}

export function createRegistry<T>(name: string): Registry<T> {
  let registered: readonly T[] | null = null;
  return {
    register(...entries) {
      registered = entries;
    },
    entries() {
      // An empty list would skip the work of the higher rooms without an error.
      if (!registered) throw new Error(`${name}: nothing is registered; call registerDomains() at start-up`);
      return registered;
    },
  };
}
