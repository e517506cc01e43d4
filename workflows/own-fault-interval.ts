/**
 * The longest pause between two tries of an activity: what throws without a delay of its own is a fault of our servers, and they
 * come back within seconds.
 */
export const OWN_FAULT_INTERVAL = '5 seconds';
