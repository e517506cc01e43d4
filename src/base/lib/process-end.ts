import type { Logger } from './log';

/** Ends the process on a signal, on a fatal error, or when the npm process above it is gone. */
export interface ProcessEnd {
  /** Aborted as soon as the process should end, so that a start in progress can stop. */
  signal: AbortSignal;
  exitCode: Promise<number>;
  /** Reports a fatal failure. */
  fail(): void;
}

/** npm and the terminal both forward Ctrl-C, so signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/** The first signal shuts down gracefully; a second one, at least a second later, exits immediately. */
export function watchProcessEnd(log: Logger, killChildren: () => void): ProcessEnd {
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
    killChildren();
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

/** npm's shell does not forward SIGTERM when it dies, so the service would outlive it. */
function endWithNpm(end: () => void): void {
  if (!process.env['npm_lifecycle_event']) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS).unref();
}
