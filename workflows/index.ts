export * from './auth-session';
export * from './broadcast';
export * from './deliver-webhook';
export {
  row as drip,
  row as form,
  row as importSubscribers,
  row as recurring,
  row as scheduled,
  row as ticket,
} from './row';
