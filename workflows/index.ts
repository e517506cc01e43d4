export * from './auth-session';
export * from './deliver-webhook';
