import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Resource<T> {
  data: T | null;
  error: Error | null;
  reload(): Promise<void>;
}

/**
 * Something read from the API, again whenever `key` changes and, with `everyMs`, in that rhythm for as long as
 * somebody looks at the page. What was read stays while it is read again, so that nothing flickers.
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
    const asked = latest.current;
    try {
      const data = await asked.read();
      if (latest.current.key === asked.key) setState({ key: asked.key, data, error: null });
    } catch (error) {
      if (latest.current.key !== asked.key) return;
      setState((before) => ({
        key: asked.key,
        data: before.key === asked.key ? before.data : null,
        error: error as Error,
      }));
    }
  }, []);

  useEffect(() => {
    void reload();
    if (!everyMs) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs, reload]);

  return state.key === key ? { ...state, reload } : { data: null, error: null, reload };
}

/** The time, again every second while somebody looks: for countdowns. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
