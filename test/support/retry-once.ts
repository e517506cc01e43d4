/**
 * Real servers on a small busy machine miss a moment now and then. A test that fails is run once more, and its first
 * failure is printed; one that fails twice has failed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
