import type pg from 'pg';
import { BATCH_ROWS } from '../db/batches';
import { byIndexes, useIndexes } from '../db/by-indexes';
import { notifyAfterCommit, notifyChannels } from '../db/notify';
import type { Db } from '../db/pool';
import { change, row, rows } from '../db/query';
import type { Retention } from '../db/retention';

export const retention = (): Retention => ({
  agenda: { bounded: 'One entry for each row that has something due. It goes when nothing is.' },
});

/** Not due until `resumeEntries`: the project is inactive. */
export const PARKED = 'infinity';

/** A row of a domain that has something due. */
export interface DueRow {
  id: string;
  project_id: string;
  /** A time of the row, or some time after now by the database's clock. Default: now. */
  at?: Date | { inMs: number } | typeof PARKED | undefined;
}

/** Sets when something is due, in the transaction that changes the rows, under their locks. */
export function scheduleAt(db: Db, kind: string, due: readonly DueRow[]): Promise<void> {
  return write(db, 'schedule_agenda_at', 'excluded.due_at', kind, due);
}

/** As `scheduleAt`, but never postpones an entry: one that is due earlier keeps its time and its place in the order. */
export function scheduleBy(db: Db, kind: string, due: readonly DueRow[]): Promise<void> {
  return write(db, 'schedule_agenda_by', 'least(agenda.due_at, excluded.due_at)', kind, due);
}

/** The ids are sorted, so that two transactions lock their entries in one order. */
async function write(
  db: Db,
  name: string,
  dueAt: string,
  kind: string,
  due: readonly DueRow[],
): Promise<void> {
  if (due.length === 0) return;
  await change(
    db,
    name,
    `INSERT INTO agenda (kind, id, project_id, due_at)
     SELECT $1, given.id, given.project_id, coalesce(given.at, clock_timestamp() + make_interval(secs => given.delay))
     FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::float8[]) AS given (id, project_id, at, delay)
     ORDER BY given.id
     ON CONFLICT (kind, id) DO UPDATE SET due_at = ${dueAt}, revision = agenda.revision + 1`,
    [
      kind,
      due.map(({ id }) => id),
      due.map(({ project_id }) => project_id),
      due.map(({ at }) => (at instanceof Date || at === PARKED ? at : null)),
      due.map(({ at }) => (typeof at === 'object' && 'inMs' in at ? at.inMs / 1_000 : 0)),
    ],
  );
  if (due.some(isNow)) notifyAfterCommit(db, notifyChannels.agenda);
}

function isNow({ at }: DueRow): boolean {
  if (!at) return true;
  if (at === PARKED) return false;
  return at instanceof Date ? at.getTime() <= Date.now() : at.inMs <= 0;
}

/** Makes the next `BATCH_ROWS` parked entries of a project due: it may send again. Returns how many were found. */
export async function resumeEntries(db: Db, projectId: string): Promise<number> {
  await useIndexes(db);
  const resumed = await row<{ found: number }>(
    db,
    'resume_agenda_entries',
    `WITH parked AS MATERIALIZED (
       SELECT kind, id FROM agenda WHERE project_id = $1 AND due_at = '${PARKED}' LIMIT ${BATCH_ROWS}
     ), resumed AS (
       UPDATE agenda SET due_at = now(), revision = revision + 1
       FROM parked WHERE agenda.kind = parked.kind AND agenda.id = parked.id AND agenda.due_at = '${PARKED}'
     )
     SELECT count(*) AS found FROM parked`,
    [projectId],
  );
  const found = resumed?.found ?? 0;
  if (found > 0) notifyAfterCommit(db, notifyChannels.agenda);
  return found;
}

/** Removes the entries of rows that have nothing due any more. Under the rows' locks, as `scheduleAt`. */
export function unschedule(db: Db, kind: string, ids: readonly string[]): Promise<number> {
  return change(db, 'unschedule_agenda', 'DELETE FROM agenda WHERE kind = $1 AND id = ANY ($2::uuid[])', [
    kind,
    ids,
  ]);
}

/** Makes every entry of a kind due now that is not parked, for example after the workflows were lost. Returns their number. */
export async function makeDue(pool: pg.Pool, kind: string): Promise<number> {
  let total = 0;
  let after: string | null = null;
  for (;;) {
    const page: { id: string }[] = await byIndexes(pool, (db) =>
      rows(
        db,
        'make_agenda_due',
        `WITH page AS MATERIALIZED (
           SELECT id FROM agenda WHERE kind = $1 AND id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') AND due_at < '${PARKED}'
           ORDER BY id LIMIT ${BATCH_ROWS}
         ), due AS (
           UPDATE agenda SET due_at = least(due_at, clock_timestamp()), revision = revision + 1
           FROM page WHERE agenda.kind = $1 AND agenda.id = page.id
         )
         SELECT id FROM page ORDER BY id`,
        [kind, after],
      ),
    );
    total += page.length;
    after = page.at(-1)?.id ?? null;
    if (page.length < BATCH_ROWS) return total;
  }
}

const FREE = '(leased_until IS NULL OR leased_until <= now())';

/** Which of these kinds have something due that no process has claimed. */
export async function findDueKinds(db: Db, kinds: readonly string[]): Promise<string[]> {
  const due = await rows<{ kind: string }>(
    db,
    'find_due_agenda_kinds',
    `SELECT asked.kind FROM unnest($1::text[]) AS asked (kind)
     WHERE EXISTS (SELECT 1 FROM agenda WHERE kind = asked.kind AND due_at <= now() AND ${FREE})`,
    [kinds],
  );
  return due.map(({ kind }) => kind);
}

/** What may be claimed of one kind. */
export interface Asked {
  kind: string;
  limit: number;
  perProject: number;
  leaseMs: number;
  /** Projects take turns in the order of their ids, beginning after this one. */
  after: string;
}

/** What a project has in flight. */
export interface Busy {
  kind: string;
  project_id: string;
  count: number;
}

export interface Entry {
  kind: string;
  id: string;
  project_id: string;
  /** Counts the changes, so that one that commits during the work is not lost. */
  revision: number;
  /** Fences: only the process that has this lease may finish the entry. In milliseconds, so that a Date holds it exactly. */
  leased_until: Date;
}

/**
 * Claims what is due by a lease: the oldest entries of each project in turn. A loose index scan finds the projects, so that a
 * long queue of one costs the others one step.
 */
export function claimEntries(
  pool: pg.Pool,
  asked: readonly Asked[],
  busy: readonly Busy[],
): Promise<Entry[]> {
  return byIndexes(pool, (db) =>
    rows<Entry>(
      db,
      'claim_agenda_entries',
      `UPDATE agenda SET leased_until = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => (
         SELECT given.lease_ms / 1000.0 FROM unnest($1::text[], $8::int[]) AS given (kind, lease_ms)
         WHERE given.kind = agenda.kind))
       WHERE ctid = ANY (ARRAY(
         SELECT chosen.ctid
         FROM unnest($1::text[], $2::int[], $3::int[], $4::uuid[]) AS asked (kind, "limit", per_project, after)
         CROSS JOIN LATERAL (
           WITH RECURSIVE project AS (
             (SELECT project_id FROM agenda WHERE kind = asked.kind AND project_id > asked.after
              ORDER BY project_id LIMIT 1)
             UNION ALL
             SELECT next.project_id FROM project CROSS JOIN LATERAL (
               SELECT project_id FROM agenda WHERE kind = asked.kind AND project_id > project.project_id
               ORDER BY project_id LIMIT 1) AS next
           )
           SELECT due.ctid FROM project CROSS JOIN LATERAL (
             SELECT ctid FROM agenda
             WHERE kind = asked.kind AND project_id = project.project_id AND due_at <= now() AND ${FREE}
             ORDER BY due_at
             LIMIT greatest(0, asked.per_project - coalesce((
               SELECT busy.count FROM unnest($5::text[], $6::uuid[], $7::int[]) AS busy (kind, project_id, count)
               WHERE busy.kind = asked.kind AND busy.project_id = project.project_id), 0))
             FOR UPDATE SKIP LOCKED) AS due
           LIMIT asked."limit") AS chosen))
       RETURNING kind, id, project_id, revision, leased_until`,
      [
        asked.map(({ kind }) => kind),
        asked.map(({ limit }) => limit),
        asked.map(({ perProject }) => perProject),
        asked.map(({ after }) => after),
        busy.map(({ kind }) => kind),
        busy.map(({ project_id }) => project_id),
        busy.map(({ count }) => count),
        asked.map(({ leaseMs }) => leaseMs),
      ],
    ),
  );
}

/** When an entry is due next: at a time of its row, or some time after now; null: nothing is due. */
export type Next = Date | { inMs: number } | null;

/**
 * Ends the lease. An entry that was changed during the work stays due at the time that the change has set. Returns whether the
 * entry is due again already.
 */
export async function finishEntry(
  db: Db,
  { kind, id, revision, leased_until }: Entry,
  next: Next,
): Promise<boolean> {
  if (next === null) {
    const removed = await change(
      db,
      'remove_agenda_entry',
      'DELETE FROM agenda WHERE kind = $1 AND id = $2 AND leased_until = $3 AND revision = $4',
      [kind, id, leased_until, revision],
    );
    if (removed > 0) return false;
  }
  const at = next instanceof Date ? next : null;
  const inMs = next === null || next instanceof Date ? 0 : next.inMs;
  const released = await row<{ is_due: boolean }>(
    db,
    'release_agenda_entry',
    `UPDATE agenda SET leased_until = NULL, due_at = CASE WHEN revision = $4
       THEN coalesce($5::timestamptz, clock_timestamp() + make_interval(secs => $6)) ELSE due_at END
     WHERE kind = $1 AND id = $2 AND leased_until = $3
     RETURNING due_at <= clock_timestamp() AS is_due`,
    [kind, id, leased_until, revision, at, inMs / 1_000],
  );
  return released?.is_due ?? false;
}
