import { types } from 'node:util';
import { ServiceError, isGrpcServiceError } from '@temporalio/client';

/**
 * SQLSTATE classes for an unreachable or overloaded database, for statements and transactions that exceeded a time limit, and
 * for transactions that were rolled back because of others.
 */
const UNAVAILABLE_SQLSTATES = /^(08|57P0[123]|53|57014|55P03|25P0[34]|40001|40P01)/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);
/** pg reports these without a code. */
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error and is not queryable/i;
/** gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE */
const UNAVAILABLE_GRPC_CODES = new Set<number>([4, 8, 14]);

/** Whether Postgres or Temporal is unavailable (a 503), as opposed to an internal error (a 500). */
export function isUnavailable(thrown: unknown): boolean {
  if (!types.isNativeError(thrown)) return false;
  if (isGrpcServiceError(thrown)) return UNAVAILABLE_GRPC_CODES.has(thrown.code);
  if (thrown instanceof ServiceError && thrown.cause) return isUnavailable(thrown.cause);
  // Node tries all addresses of a host name and reports the errors together.
  const { errors } = thrown as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnavailable);
  const code = (thrown as { code?: unknown }).code;
  if (typeof code === 'string') return UNAVAILABLE_SQLSTATES.test(code) || UNAVAILABLE_SYSTEM_CODES.has(code);
  return UNAVAILABLE_MESSAGES.test(thrown.message);
}
