/** What higher rooms contribute to a lower one. Filled at start-up, in `src/process/roles`. */
interface Slot<T> {
  register(entry: T): void;
  get(): T;
}

export function createSlot<T>(name: string): Slot<T> {
  let registered: { entry: T } | null = null;
  return {
    register(entry) {
      registered = { entry };
    },
    get() {
      // To go on without it would skip the work of the higher rooms without an error.
      if (!registered) throw new Error(`${name}: nothing is registered; call registerDomains() at start-up`);
      return registered.entry;
    },
  };
}

/** As a slot, for several contributions. */
interface Registry<T> {
  register(...entries: T[]): void;
  entries(): readonly T[];
}

export function createRegistry<T>(name: string): Registry<T> {
  const slot = createSlot<readonly T[]>(name);
  return { register: (...entries) => slot.register(entries), entries: () => slot.get() };
}
