export * from './auth-session';
export * from './broadcast';
export * from './deliver-webhook';
export * from './import-subscribers';
