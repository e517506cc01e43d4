/** Whether the starts of workflows in this process keep up, on which the lane `auto` depends. */
export interface StartBacklog {
  isBehind(): boolean;
  /** `isFull`: the relay's claim returned as many deliveries as it had free starts, so it may have left some. */
  noteClaim(isFull: boolean): void;
  noteStart(hasFailed: boolean): void;
}

/** Until the relay's first claim, for which it needs Temporal, starts do not keep up. */
export function createStartBacklog(): StartBacklog {
  let isFull = true;
  let hasFailed = false;
  return {
    isBehind: () => isFull || hasFailed,
    noteClaim: (now) => void (isFull = now),
    noteStart: (now) => void (hasFailed = now),
  };
}
