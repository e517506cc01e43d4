import type { Installation, TestProject } from './installation';

/** As a process leaves it that dies after its work and before the response was recorded. */
export async function loseResponse(
  { pool }: Pick<Installation, 'pool'>,
  { id }: Pick<TestProject, 'id'>,
  key: string,
): Promise<void> {
  const { rowCount } = await pool.query(
    `UPDATE idempotency_keys SET response_sealed = NULL, owner = gen_random_uuid(), leased_until = now()
     WHERE project_id = $1 AND key = $2`,
    [id, key],
  );
  expect(rowCount).toBe(1);
}
