/**
 * How an activity is tried again: what throws without a delay of its own is a fault of our servers, and they come back within
 * seconds.
 */
export const OWN_FAULT_RETRY = { initialInterval: '1 second', maximumInterval: '5 seconds' } as const;
