import { ApplicationFailure, log } from '@temporalio/activity';
import { PlatformError } from '../src/bots/platform-error';
import { AppError, isRetryable } from '../src/contract/errors';

/**
 * The one place where what an activity throws becomes a failure that Temporal keeps. Messages and stacks of foreign
 * errors can carry requests, names and tokens: only the kind of the error gets into a history.
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
      message: `the messenger answered: ${error.reason}`,
      nonRetryable: !error.retryable,
      ...(error.retryAfterMs ? { nextRetryDelay: error.retryAfterMs } : {}),
    });
  }
  // To the process's own log, which redacts; the history gets the kind only.
  log.error('an activity met a fault of our own', { error });
  const { name, code } = error as { name?: string; code?: unknown };
  const kind = typeof code === 'string' ? code : (name ?? 'Error');
  return ApplicationFailure.create({
    type: 'fault',
    message: `a fault of our own (${kind}); see the log of the worker`,
  });
}
