export * from './auth-session';
export * from './broadcast';
export * from './deliver-webhook';
export * from './drip';
export * from './form';
export * from './import-subscribers';
export * from './recurring';
export * from './scheduled';
