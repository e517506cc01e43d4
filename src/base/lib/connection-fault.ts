import { types } from 'node:util';

/** SQLSTATE: a lost connection, and a server that stops, has crashed or is starting. */
const SERVER_GONE = /^(08|57P0[123])/;
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);
/** pg reports these without a code. */
const MESSAGES =
  /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|Query read timeout/i;

/** Whether a server cannot be reached, or the connection to it was lost. */
export function isConnectionFault(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  // Node tries all addresses of a host name and reports the errors together.
  const { errors, code } = error as { errors?: unknown; code?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isConnectionFault);
  if (typeof code === 'string') return SERVER_GONE.test(code) || SYSTEM_CODES.has(code);
  return MESSAGES.test(error.message);
}
