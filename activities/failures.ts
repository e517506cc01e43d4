import { activityInfo, ApplicationFailure, log } from '@temporalio/activity';
import { PlatformError } from '../src/domains/bots/platform-error';
import { AppError, isRetryable } from '../src/base/contract/errors';

/**
 * Converts every error of an activity into the failure that Temporal stores. Messages and stacks of foreign errors can
 * contain requests, names and tokens, so the history gets only the kind of error.
 */
export function reported<Args extends unknown[], Result>(
  activity: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await activity(...args);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

const OUTAGE_BACKOFF_MS = { first: 1_000, most: 10_000 };

/** A messenger can be unavailable for hours, unlike our own servers, whose pauses are short. */
function outageBackoffMs(attempt: number): number {
  return Math.min(OUTAGE_BACKOFF_MS.first * 2 ** (attempt - 1), OUTAGE_BACKOFF_MS.most);
}

function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof AppError) {
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !isRetryable(error.code),
    });
  }
  if (error instanceof PlatformError) {
    return ApplicationFailure.create({
      type: `platform.${error.reason}`,
      message: `the messenger returned ${error.reason}`,
      nonRetryable: !error.retryable,
      nextRetryDelay: error.retryAfterMs || outageBackoffMs(activityInfo().attempt),
    });
  }
  // The process log, which redacts secrets, gets the whole error; the history gets only its kind.
  log.error('an activity failed with an internal error', { error });
  const { name, code } = error as { name?: string; code?: unknown };
  const kind = typeof code === 'string' ? code : (name ?? 'Error');
  return ApplicationFailure.create({
    type: 'fault',
    message: `internal error (${kind}); see the worker's log`,
  });
}
