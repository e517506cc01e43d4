import { notifyChannels, type Notifications } from '../../base/db/notify';

/** Wakes long polls when their session changes. All of them share one LISTEN connection. */
export interface SessionWaiter {
  /**
   * `wait` resolves with false after `ms`, and with true at the session's next change since `watch`, when `disconnected`
   * aborts, or when the process stops.
   */
  watch(sessionId: string): { wait(ms: number, disconnected?: AbortSignal): Promise<boolean>; done(): void };
  /** Ends every wait, so that a stopping process responds to its long polls at once. */
  stop(): void;
}

export function createSessionWaiter(notifications: Notifications): SessionWaiter {
  const watchers = new Map<string, Set<() => void>>();
  let stopped = false;

  const wakeAll = () => {
    for (const set of watchers.values()) for (const wake of set) wake();
  };
  const off = notifications.on(notifyChannels.session, (sessionId) => {
    // After a lost connection any session may have changed.
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
        async wait(ms, disconnected) {
          if (changed || stopped || disconnected?.aborted) return true;
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((done) => {
            resolve = done;
            timer = setTimeout(done, ms);
            disconnected?.addEventListener('abort', () => done(), { once: true });
          });
          clearTimeout(timer);
          return changed || stopped || disconnected?.aborted === true;
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
