interface Sweep {
  stop(): void;
}

/**
 * Runs `sweep` repeatedly, at least every `ms`, with jitter: sweeps of several processes must not synchronise with each
 * other or with other periodic work.
 */
export function startSweep(ms: number, sweep: () => void): Sweep {
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(
      () => {
        next();
        sweep();
      },
      ms * (0.75 + Math.random() / 4),
    );
  };
  next();
  return { stop: () => clearTimeout(timer) };
}
