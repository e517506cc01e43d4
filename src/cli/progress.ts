const WIDTH = 30;
const EVERY_MS = 100;

export interface Progress {
  /** How much is done by now, of how much as far as is known. */
  at(done: number, total: number): void;
  end(): void;
}

/** A bar for people who wait at a terminal; programs and logs get nothing of it. */
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
    // The line goes: what a command has to say, it says on standard output.
    end: () => void output.write('\r\x1b[K'),
  };
}
