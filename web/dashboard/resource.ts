import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Resource<T> {
  data: T | null;
  error: Error | null;
  reload(): Promise<void>;
}

const reloads = new Set<() => void>();

/** After a new sign-in: what could not be read meanwhile is read again. */
export function reloadAll(): void {
  for (const reload of reloads) reload();
}

/**
 * Data read from the API: again whenever `key` changes and, with `everyMs`, at that interval while the page is visible.
 * The old data stays on screen during a reload, so that nothing flickers.
 */
export function useResource<T>(read: () => Promise<T>, key: string, everyMs?: number): Resource<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: Error | null }>({
    key,
    data: null,
    error: null,
  });
  const latest = useRef({ read, key });
  latest.current = { read, key };

  const reload = useCallback(async () => {
    const request = latest.current;
    try {
      const data = await request.read();
      if (latest.current.key === request.key) setState({ key: request.key, data, error: null });
    } catch (error) {
      if (latest.current.key !== request.key) return;
      setState((before) => ({
        key: request.key,
        data: before.key === request.key ? before.data : null,
        error: error as Error,
      }));
    }
  }, []);

  useEffect(() => {
    void reload();
    const again = () => void reload();
    reloads.add(again);
    const timer = everyMs && setInterval(() => document.visibilityState === 'visible' && again(), everyMs);
    return () => {
      reloads.delete(again);
      if (timer) clearInterval(timer);
    };
  }, [key, everyMs, reload]);

  return state.key === key ? { ...state, reload } : { data: null, error: null, reload };
}

/** Longer than the pause between two keys of a person who types. */
const TYPING_MS = 300;

/** What was typed, shortly after the last key. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

/** The current time, updated every second, for countdowns. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
