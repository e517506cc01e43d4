import type { FollowedList } from '../../src/base/contract/followed-lists';
import { follow, restartLive } from './live';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Resource<T> {
  data: T | null;
  error: Error | null;
  reload(): Promise<void>;
}

const reloads = new Set<() => void>();

/** After a new sign-in: what could not be read meanwhile is read again. */
export function reloadAll(): void {
  restartLive();
  for (const reload of reloads) reload();
}

/**
 * Data read from the API: again whenever `key` changes and, while the page is visible, when the list that `refresh` names
 * has changed, or at an interval in milliseconds. The old data stays on screen during a reload, so that nothing flickers.
 */
export function useResource<T>(
  read: () => Promise<T>,
  key: string,
  refresh?: FollowedList | number,
): Resource<T> {
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
    const again = oneAtATime(reload);
    again();
    reloads.add(again);
    const end =
      typeof refresh === 'string'
        ? follow(refresh, again)
        : refresh === undefined
          ? null
          : every(refresh, again);
    return () => {
      reloads.delete(again);
      end?.();
    };
  }, [key, refresh, reload]);

  return state.key === key ? { ...state, reload } : { data: null, error: null, reload };
}

/**
 * Calls `reload` after one of the lists has changed, but not sooner than `soonest` after the time before; without a change
 * after `latest`, while the page is visible.
 */
export function useChanges(
  lists: FollowedList[],
  reload: () => Promise<void>,
  { soonest, latest }: { soonest: number; latest: number },
): void {
  const newest = useRef(reload);
  newest.current = reload;
  useEffect(() => {
    let last = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    const plan = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        last = Date.now();
        if (document.visibilityState === 'visible') void newest.current();
        plan(latest);
      }, ms);
    };
    plan(latest);
    const ends = lists.map((list) => follow(list, () => plan(Math.max(0, last + soonest - Date.now()))));
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, []);
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

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(() => document.visibilityState === 'visible' && work(), ms);
  return () => clearInterval(timer);
}

/** A call during `work` makes it run once more, so that the newest state is what stays on screen. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isStale = false;
  const run = async () => {
    isRunning = true;
    do {
      isStale = false;
      await work();
    } while (isStale);
    isRunning = false;
  };
  return () => {
    if (isRunning) isStale = true;
    else void run();
  };
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
