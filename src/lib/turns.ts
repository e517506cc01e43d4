import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a loop computes before other work of the process gets its turn. */
const TURN_MS = 5;

/** For a loop that takes long: `await` the result in every round. It pauses once a turn is over. */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
