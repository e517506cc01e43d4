/*
 * Rows that have a workflow of their own (`wake_at`, `next_at`, `revision`): what the statements of their relays share.
 */

/**
 * SQL: the common table expressions (of WITH RECURSIVE) that end in `chosen`, the ids of up to $1 rows that are due. Projects
 * take turns. A loose index scan finds them, so a long queue of one project costs the others one step. `condition` is about
 * the project, `p.project_id`: the rows of one that does not meet it are not read.
 */
export const dueInTurns = (table: string, condition = 'true'): string => `project AS (
       (SELECT project_id FROM ${table} WHERE wake_at IS NOT NULL ORDER BY project_id LIMIT 1)
       UNION ALL
       SELECT n.project_id FROM project p CROSS JOIN LATERAL (
         SELECT project_id FROM ${table} WHERE wake_at IS NOT NULL AND project_id > p.project_id
         ORDER BY project_id LIMIT 1) n
     ), due AS (
       SELECT d.id, d.wake_at, row_number() OVER (PARTITION BY p.project_id ORDER BY d.wake_at) AS turn
       FROM project p CROSS JOIN LATERAL (
         SELECT id, wake_at FROM ${table} WHERE project_id = p.project_id AND wake_at <= now()
         ORDER BY wake_at LIMIT $1) d WHERE ${condition}
     ), chosen AS (
       -- Rechecked on the locked row, in words that no index knows: by the one of wake_at all due rows would be read.
       SELECT t.id FROM due JOIN ${table} t ON t.id = due.id WHERE t.wake_at + interval '0' <= now()
       ORDER BY due.turn, due.wake_at LIMIT $1 FOR UPDATE OF t SKIP LOCKED
     )`;
