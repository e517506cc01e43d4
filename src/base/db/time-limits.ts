import type pg from 'pg';

/** The server ends what takes longer, on every connection of a process. */
export interface TimeLimits {
  statementMs: number;
  /** Waiting for a lock, as part of a statement. */
  lockMs: number;
}

/** The server answers within its own limit; a connection that is silent for longer is dead. */
const SILENCE_MS = 2_000;
const APPLY_MS = 3_000;

/** TCP probes find a peer that is gone while a connection is idle. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

/** After this time the client destroys the connection, because the server has not kept its own limit. */
export function queryTimeoutMs(statementMs: number): number {
  return statementMs + SILENCE_MS;
}

/** SET instead of parameters of the connection, which poolers refuse. */
export async function applyTimeLimits(
  client: pg.ClientBase,
  { statementMs, lockMs }: TimeLimits,
): Promise<void> {
  await client.query({
    text: `SET statement_timeout = ${statementMs}; SET lock_timeout = ${lockMs};
           SET idle_in_transaction_session_timeout = ${statementMs}`,
    query_timeout: APPLY_MS,
  } as pg.QueryConfig);
}

const destroyed = new WeakSet<pg.ClientBase>();

/** Ends the wait for a server that does not respond. `end` would wait for its response first. */
export function destroyConnection(client: pg.ClientBase): void {
  destroyed.add(client);
  (client as pg.ClientBase & { connection: pg.Connection }).connection.stream.destroy();
}

/** Whether this process closed the connection, as opposed to the server or the network. */
export function isDestroyed(client: pg.ClientBase): boolean {
  return destroyed.has(client);
}
