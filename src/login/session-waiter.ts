import { notifyChannels, type Notifications } from '../db/notify';

/** Wakes long polls when their session changes: one LISTEN connection serves them all, nobody asks in a loop. */
export interface SessionWaiter {
  /**
   * Registers before the caller reads the row, so that a change between reading and waiting is not missed.
   * `wait` resolves at the session's next change, after `ms`, or when the process stops or the caller hangs up.
   */
  watch(sessionId: string): { wait(ms: number, hungUp?: AbortSignal): Promise<void>; done(): void };
  /** Ends every wait: a stopping process answers its long polls at once. */
  stop(): void;
}

export function createSessionWaiter(notifications: Notifications): SessionWaiter {
  const watchers = new Map<string, Set<() => void>>();
  let stopped = false;

  const wakeAll = () => {
    for (const set of watchers.values()) for (const wake of set) wake();
  };
  const off = notifications.on(notifyChannels.session, (sessionId) => {
    // The connection was lost for a while: every watcher looks for itself.
    if (sessionId === null) return wakeAll();
    for (const wake of watchers.get(sessionId) ?? []) wake();
  });

  return {
    watch(sessionId) {
      let changed = false;
      let resolve = () => {};
      const wake = () => {
        changed = true;
        resolve();
      };
      const set = watchers.get(sessionId) ?? new Set();
      watchers.set(sessionId, set.add(wake));
      return {
        async wait(ms, hungUp) {
          if (changed || stopped || hungUp?.aborted) return;
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((done) => {
            resolve = done;
            timer = setTimeout(done, ms);
            hungUp?.addEventListener('abort', () => done(), { once: true });
          });
          clearTimeout(timer);
        },
        done() {
          set.delete(wake);
          if (set.size === 0) watchers.delete(sessionId);
        },
      };
    },
    stop() {
      stopped = true;
      off();
      wakeAll();
    },
  };
}
