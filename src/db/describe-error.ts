import { types } from 'node:util';

/** Explanations of connection and server errors, by system error code or SQLSTATE. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'The database does not answer.',
  ECONNRESET: 'The database ended the connection.',
  ENOTFOUND: "The database's host is not known.",
  EAI_AGAIN: "The database's host cannot be looked up.",
  ETIMEDOUT: 'The database does not answer in time.',
  EHOSTUNREACH: "The database's host cannot be reached.",
  '28000': 'The database does not let this user in.',
  '28P01': "The database does not accept this user's password.",
  '3D000': 'There is no database of this name on the server.',
  '42P01': 'The database has no Herald schema yet: start Herald with it once.',
  '42501': 'The database user may not do this.',
  '57P03': 'The database is starting up or shutting down.',
  '53300': 'The database has no connection left.',
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
