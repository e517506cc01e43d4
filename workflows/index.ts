export * from './auth-session';
export * from './broadcast';
export * from './deliver-webhook';
export * from './import-subscribers';
export { row as drip, row as form, row as recurring, row as scheduled, row as ticket } from './row';
