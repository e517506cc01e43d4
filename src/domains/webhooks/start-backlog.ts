/** Whether the starts of workflows in this process keep up: the lane `auto` depends on it. */
export interface StartBacklog {
  isBehind(): boolean;
  /** A claim of the relay found as many deliveries as it had room for, and may have left some. */
  noteClaim(isFull: boolean): void;
  noteStart(hasFailed: boolean): void;
}

/** Without a connection to Temporal no relay claims, and it does not keep up. */
export function createStartBacklog(): StartBacklog {
  let isFull = true;
  let hasFailed = false;
  return {
    isBehind: () => isFull || hasFailed,
    noteClaim: (now) => void (isFull = now),
    noteStart: (now) => void (hasFailed = now),
  };
}
