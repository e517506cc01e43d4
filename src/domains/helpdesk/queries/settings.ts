import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { HelpdeskSettings, TicketPriority } from '../contract';

const SETTINGS = 'enabled, first_reply_hours, resolve_hours, csat, reopen_days, auto_close_days';

const defaults: HelpdeskSettings = {
  enabled: false,
  first_reply_hours: 24,
  resolve_hours: null,
  csat: true,
  reopen_days: 7,
  auto_close_days: null,
};

export async function findSettings(db: Db, projectId: string): Promise<HelpdeskSettings> {
  const found = await row<HelpdeskSettings>(
    db,
    'find_helpdesk',
    `SELECT ${SETTINGS} FROM helpdesks WHERE project_id = $1`,
    [projectId],
  );
  return found ?? defaults;
}

/** Waits for the transaction that changes the settings or counts the next ticket. */
export async function lockSettings(db: Db, projectId: string): Promise<HelpdeskSettings> {
  await change(
    db,
    'insert_helpdesk',
    'INSERT INTO helpdesks (project_id) VALUES ($1) ON CONFLICT DO NOTHING',
    [projectId],
  );
  const locked = await row<HelpdeskSettings>(
    db,
    'lock_helpdesk',
    `SELECT ${SETTINGS} FROM helpdesks WHERE project_id = $1 FOR UPDATE`,
    [projectId],
  );
  return locked ?? defaults;
}

export async function updateSettings(db: Db, projectId: string, values: HelpdeskSettings): Promise<void> {
  await change(
    db,
    'update_helpdesk',
    `UPDATE helpdesks SET enabled = $2, first_reply_hours = $3, resolve_hours = $4, csat = $5, reopen_days = $6,
       auto_close_days = $7
     WHERE project_id = $1`,
    [
      projectId,
      values.enabled,
      values.first_reply_hours,
      values.resolve_hours,
      values.csat,
      values.reopen_days,
      values.auto_close_days,
    ],
  );
}

/** Counts the next ticket, if the helpdesk is on. The row's lock orders the numbers. */
export function takeNumber(
  db: Db,
  projectId: string,
): Promise<(HelpdeskSettings & { number: number }) | null> {
  return row(
    db,
    'take_ticket_number',
    `UPDATE helpdesks SET last_number = last_number + 1 WHERE project_id = $1 AND enabled
     RETURNING last_number AS number, ${SETTINGS}`,
    [projectId],
  );
}

export interface TicketTypeRow {
  id: string;
  name_en: string;
  name_ru: string;
  priority: TicketPriority;
  assignee_id: string | null;
}

const TYPE = 'id, name_en, name_ru, priority, assignee_id';

/** Newest first, as every list. */
export function listTypes(db: Db, projectId: string): Promise<TicketTypeRow[]> {
  return rows<TicketTypeRow>(
    db,
    'list_ticket_types',
    `SELECT ${TYPE} FROM ticket_types WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
    [projectId],
  );
}

export function findType(db: Db, projectId: string, id: string): Promise<TicketTypeRow | null> {
  return row<TicketTypeRow>(
    db,
    'find_ticket_type',
    `SELECT ${TYPE} FROM ticket_types WHERE project_id = $1 AND id = $2`,
    [projectId, id],
  );
}

/** Of any project: a button names it. */
export function findAnyType(db: Db, id: string): Promise<(TicketTypeRow & { project_id: string }) | null> {
  return row(db, 'find_any_ticket_type', `SELECT ${TYPE}, project_id FROM ticket_types WHERE id = $1`, [id]);
}

export async function countTypes(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_ticket_types',
    'SELECT count(*)::int AS count FROM ticket_types WHERE project_id = $1',
    [projectId],
  );
  return counted?.count ?? 0;
}

export async function insertType(db: Db, projectId: string, type: TicketTypeRow): Promise<void> {
  await change(
    db,
    'insert_ticket_type',
    `INSERT INTO ticket_types (id, project_id, name_en, name_ru, priority, assignee_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    [type.id, projectId, type.name_en, type.name_ru, type.priority, type.assignee_id],
  );
}

export async function updateType(db: Db, projectId: string, type: TicketTypeRow): Promise<void> {
  await change(
    db,
    'update_ticket_type',
    `UPDATE ticket_types SET name_en = $3, name_ru = $4, priority = $5, assignee_id = $6
     WHERE project_id = $2 AND id = $1`,
    [type.id, projectId, type.name_en, type.name_ru, type.priority, type.assignee_id],
  );
}

export function deleteType(db: Db, projectId: string, id: string): Promise<number> {
  return change(db, 'delete_ticket_type', 'DELETE FROM ticket_types WHERE project_id = $1 AND id = $2', [
    projectId,
    id,
  ]);
}
