/**
 * How an activity is retried. An error without a delay of its own is a fault of Herald's servers, which are back within
 * seconds.
 */
export const OWN_FAULT_RETRY = { initialInterval: '1 second', maximumInterval: '5 seconds' } as const;
