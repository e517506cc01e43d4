import type pg from 'pg';
import type { Logger } from '../lib/log';
import { startSweep } from '../lib/sweep';
import { eraseDueEvents } from './queries/erase';

const SWEEP_MS = 2_000;

/** Erases events of removed people as soon as their last open delivery has ended. Safe in several processes. */
export function startEventEraser({ pool, log }: { pool: pg.Pool; log: Logger }): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> | null = null;

  async function erase(): Promise<void> {
    while (!stopped && (await eraseDueEvents(pool)).more);
  }

  const sweep = startSweep(SWEEP_MS, () => {
    running ??= erase()
      .catch((err: unknown) => log.warn({ err }, 'events of removed people could not be erased yet'))
      .finally(() => (running = null));
  });
  return {
    async stop() {
      stopped = true;
      sweep.stop();
      await running;
    },
  };
}
