export interface Sweep {
  stop(): void;
}

/**
 * Runs `sweep` again and again, at least every `ms`. Not at a steady pace: sweeps that had fallen into step would all come
 * in the same moment, and meet again and again whoever comes at a steady pace.
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
