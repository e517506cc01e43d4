const WIDTH = 30;
const EVERY_MS = 100;

interface Progress {
  /** `total` may be an estimate. */
  at(done: number, total: number): void;
  end(): void;
}

/** A progress bar; shown only on a terminal. */
export function startProgress(what: string, output: NodeJS.WriteStream = process.stderr): Progress {
  if (!output.isTTY) return { at: () => undefined, end: () => undefined };
  let drawnAt = 0;
  return {
    at(done, total) {
      const now = Date.now();
      if (now - drawnAt < EVERY_MS && done < total) return;
      drawnAt = now;
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
      output.write(`\r${what} ${bar} ${done}/${total} ${Math.floor(share * 100)} %\x1b[K`);
    },
    // Clears the bar; results go to standard output.
    end: () => void output.write('\r\x1b[K'),
  };
}
