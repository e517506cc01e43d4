import { types } from 'node:util';
import { ServiceError, isGrpcServiceError } from '@temporalio/client';

/** SQLSTATE classes that mean "the database is away or full", not "the statement is wrong". */
const AWAY_SQLSTATES = /^(08|57P0[123]|53)/;
const AWAY_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);
/** pg reports these without a code. */
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/i;
/** gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE */
const AWAY_GRPC_CODES = new Set<number>([4, 8, 14]);

/** Tells a part that is away (Postgres, Temporal) from a fault of our own: the first is a 503, the second a 500. */
export function isUnavailable(thrown: unknown): boolean {
  if (!types.isNativeError(thrown)) return false;
  if (isGrpcServiceError(thrown)) return AWAY_GRPC_CODES.has(thrown.code);
  if (thrown instanceof ServiceError && thrown.cause) return isUnavailable(thrown.cause);
  // Node tries every address of a name and reports them together.
  const { errors } = thrown as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnavailable);
  const code = (thrown as { code?: unknown }).code;
  if (typeof code === 'string') return AWAY_SQLSTATES.test(code) || AWAY_SYSTEM_CODES.has(code);
  return AWAY_MESSAGES.test(thrown.message);
}
