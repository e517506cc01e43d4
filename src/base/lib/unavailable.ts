import { types } from 'node:util';
import { ServiceError, isGrpcServiceError } from '@temporalio/client';
import { isConnectionFault } from './connection-fault';

/**
 * SQLSTATE classes for an overloaded database, for statements and transactions that exceeded a time limit, and for
 * transactions that were rolled back because of others.
 */
const OVERLOADED = /^(53|57014|55P03|25P0[34]|40001|40P01)/;
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
  return (typeof code === 'string' && OVERLOADED.test(code)) || isConnectionFault(thrown);
}
