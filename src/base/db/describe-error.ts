import { types } from 'node:util';

/** Explanations of connection and server errors, by system error code or SQLSTATE. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'Cannot connect to the database.',
  ECONNRESET: 'The database closed the connection.',
  ENOTFOUND: 'The database host is unknown.',
  EAI_AGAIN: 'The database host cannot be resolved.',
  ETIMEDOUT: 'The database did not respond in time.',
  EHOSTUNREACH: 'The database host cannot be reached.',
  '28000': 'The database rejects this user.',
  '28P01': 'The database rejects the password of this user.',
  '3D000': 'The server has no database with this name.',
  '42P01': 'The database has no Herald schema yet: start Herald once to create it.',
  '42501': 'The database user lacks a permission.',
  '57P03': 'The database is starting up or shutting down.',
  '53300': 'The database has no free connections.',
};

/** One sentence for users, without addresses and passwords; null if it is not a database error. */
export function describeDatabaseError(error: unknown): string | null {
  if (!types.isNativeError(error)) return null;
  // Node tries all addresses of a host name and reports the errors together.
  const { errors } = error as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) {
    return describeDatabaseError(errors[0]);
  }
  if (error.message.includes('timeout exceeded when trying to connect')) return reasons['ETIMEDOUT'] ?? null;
  const { code, syscall } = error as { code?: string; syscall?: string };
  return code !== undefined && syscall !== 'listen' ? (reasons[code] ?? null) : null;
}
