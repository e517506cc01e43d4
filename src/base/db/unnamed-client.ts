import pg from 'pg';

/**
 * For a pooler in transaction mode that does not keep track of names, as PgBouncer before 1.21. A statement that was prepared by
 * name belongs to one connection of the server, and the next transaction may get another. Each statement is parsed again instead.
 */
export class UnnamedClient extends pg.Client {
  override query(...given: unknown[]): never {
    const [query, ...rest] = given;
    // The overloads of the driver cannot be named in one signature.
    return (super.query as (...all: unknown[]) => never).call(this, withoutName(query), ...rest);
  }
}

function withoutName(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('name' in query) || 'submit' in query) return query;
  const { name: _name, ...unnamed } = query;
  return unnamed;
}
