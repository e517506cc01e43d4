import { setTimeout as sleep } from 'node:timers/promises';

/** How long a loop computes before other work of the process gets its turn. */
const TURN_MS = 5;

/** When the next turn of a loop may begin. */
let nextTurnAt = 0;

/**
 * For a loop that takes long: `await` the result in every round. It pauses once a turn is over. All such loops of the
 * process share its turns, so that several take no more than half of its time together: what waits for many short
 * answers, such as a login, waits for a turn at each of them.
 */
export function createPauses(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    const now = performance.now();
    if (now - since < TURN_MS) return undefined;
    nextTurnAt = Math.max(nextTurnAt + 2 * TURN_MS, now + TURN_MS);
    return sleep(nextTurnAt - now).then(() => {
      since = performance.now();
    });
  };
}
