/**
 * SQL: makes the rows that a statement changes due in the agenda, at this time, in the statement's own commit. `changes` ends
 * before RETURNING.
 */
export const thenDue = (kind: string, changes: string, at = 'now()') =>
  `WITH changed AS (${changes} RETURNING id, project_id)
   INSERT INTO agenda (kind, id, project_id, due_at) SELECT '${kind}', id, project_id, ${at} FROM changed
   ON CONFLICT (kind, id) DO UPDATE SET due_at = excluded.due_at, revision = agenda.revision + 1`;
