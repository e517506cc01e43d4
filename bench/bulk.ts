import type { Db } from '../src/base/db/pool';

/** Runs `insert` while the tables have only their unique indexes. To keep the others up to date would take most of its time. */
export async function withoutIndexes(
  db: Db,
  tables: string[],
  insert: () => Promise<unknown>,
): Promise<void> {
  const { rows: indexes } = await db.query<{ name: string; definition: string }>({
    text: `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
           WHERE indrelid = ANY ($1::regclass[]) AND NOT indisunique`,
    values: [tables],
  });
  for (const { name } of indexes) await db.query({ text: `DROP INDEX ${name}` });
  await insert();
  for (const { definition } of indexes) await db.query({ text: definition });
}
