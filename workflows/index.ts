export * from './auth-session';
export * from './broadcast';
export * from './deliver-webhook';
export * from './recurring-run';
export * from './scheduled';
export * from './import-subscribers';
