export * from './deliver-webhook';
