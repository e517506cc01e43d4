import type pg from 'pg';

/** Advisory locks of a session: PostgreSQL releases them when its connection ends. Keys are hashes of the names. */
const KEY = `hashtextextended('herald/' || name, 0)`;

/** Tries to take the lock of each name and returns, in the same order, whether it was taken. */
export async function tryToLead(client: pg.Client, names: string[]): Promise<boolean[]> {
  const { rows } = await client.query<{ acquired: boolean }>(
    `SELECT pg_try_advisory_lock(${KEY}) AS acquired
     FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place) ORDER BY place`,
    [names],
  );
  return rows.map(({ acquired }) => acquired);
}

export async function stopLeading(client: pg.Client, name: string): Promise<void> {
  await client.query(`SELECT pg_advisory_unlock(${KEY}) FROM (SELECT $1::text AS name) AS given`, [name]);
}
