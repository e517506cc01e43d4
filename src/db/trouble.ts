import { types } from 'node:util';

/** What keeps us from working with the database, by the code of the system or of PostgreSQL. */
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

/** One sentence for people, which names no address and no password; null where the fault is not the database's. */
export function describeDatabaseTrouble(error: unknown): string | null {
  if (!types.isNativeError(error)) return null;
  // Node tries every address of a name and reports them together.
  const { errors } = error as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) {
    return describeDatabaseTrouble(errors[0]);
  }
  if (error.message.includes('timeout exceeded when trying to connect')) return reasons['ETIMEDOUT'] ?? null;
  const { code, syscall } = error as { code?: string; syscall?: string };
  return code !== undefined && syscall !== 'listen' ? (reasons[code] ?? null) : null;
}
