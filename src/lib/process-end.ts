import type { Logger } from './log';

/** How and when this process ends: a signal, a fault, or npm above it gone. */
export interface ProcessEnd {
  /** Aborts with the first reason to end, so that a start under way can give up. */
  signal: AbortSignal;
  exitCode: Promise<number>;
  /** Something that the process cannot go on without has failed. */
  fail(): void;
}

/** npm and the terminal both pass a Ctrl-C on: what comes within this time of the first is the same one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/** The first signal ends the process in order; a second one, a moment later, at once. */
export function watchProcessEnd(log: Logger, leaveAtOnce: () => void): ProcessEnd {
  const controller = new AbortController();
  let resolveCode: (code: number) => void = () => {};
  const exitCode = new Promise<number>((resolve) => (resolveCode = resolve));
  let firstSignalAt: number | undefined;

  function end(code: number): void {
    resolveCode(code);
    controller.abort();
  }

  function onSignal(signal: NodeJS.Signals): void {
    const now = performance.now();
    firstSignalAt ??= now;
    if (now - firstSignalAt < SAME_SIGNAL_MS) return end(0);
    log.warn({ signal }, 'exiting immediately');
    leaveAtOnce();
    process.exit(130);
  }

  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, 'unhandled error');
      end(1);
    });
  }
  endWithNpm(() => end(0));
  return { signal: controller.signal, exitCode, fail: () => end(1) };
}

/** npm's shell dies of a SIGTERM without passing it on: without this the service would outlive it. */
function endWithNpm(end: () => void): void {
  if (!process.env['npm_lifecycle_event']) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS).unref();
}
