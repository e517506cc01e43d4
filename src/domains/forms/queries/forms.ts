import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Field, FormRoute } from '../contract';

export interface FormRow {
  id: string;
  project_id: string;
  name: string;
  title_en: string | null;
  title_ru: string | null;
  fields: Field[];
  routes: FormRoute[];
  allowed_origins: string[];
  min_seconds: number;
  captcha_url: string | null;
  captcha_sealed: string | null;
  signing_sealed: string;
  redirect_url: string | null;
  status: 'active' | 'disabled';
  created_at: Date;
  updated_at: Date;
  /** By the database's clock. */
  now: Date;
}

export type StoredForm = Omit<FormRow, 'project_id' | 'created_at' | 'updated_at' | 'now'>;

const COLUMNS = `f.id, f.project_id, f.name, f.title_en, f.title_ru, f.fields, f.routes, f.allowed_origins, f.min_seconds,
  f.captcha_url, f.captcha_sealed, f.signing_sealed, f.redirect_url, f.status, f.created_at, f.updated_at,
  clock_timestamp() AS now`;

function valuesOf(form: StoredForm): unknown[] {
  return [
    form.id,
    form.name,
    form.title_en,
    form.title_ru,
    JSON.stringify(form.fields),
    JSON.stringify(form.routes),
    form.allowed_origins,
    form.min_seconds,
    form.captcha_url,
    form.captcha_sealed,
    form.signing_sealed,
    form.redirect_url,
    form.status,
  ];
}

/** The caller holds the project's lock, under which forms are counted. */
export async function insertForm(db: Db, projectId: string, form: StoredForm): Promise<FormRow> {
  const inserted = await row<FormRow>(
    db,
    'insert_form',
    `INSERT INTO forms AS f (id, name, title_en, title_ru, fields, routes, allowed_origins, min_seconds, captcha_url,
       captcha_sealed, signing_sealed, redirect_url, status, project_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING ${COLUMNS}`,
    [...valuesOf(form), projectId],
  );
  if (!inserted) throw new Error('the form was not inserted');
  return inserted;
}

/** The caller holds the row's lock. */
export async function replaceForm(db: Db, form: StoredForm): Promise<FormRow> {
  const replaced = await row<FormRow>(
    db,
    'replace_form',
    `UPDATE forms f SET name = $2, title_en = $3, title_ru = $4, fields = $5, routes = $6, allowed_origins = $7,
       min_seconds = $8, captcha_url = $9, captcha_sealed = $10, signing_sealed = $11, redirect_url = $12, status = $13,
       updated_at = now()
     WHERE f.id = $1 RETURNING ${COLUMNS}`,
    valuesOf(form),
  );
  if (!replaced) throw new Error('the form disappeared while it was locked');
  return replaced;
}

export function findForm(db: Db, projectId: string, id: string): Promise<FormRow | null> {
  return row<FormRow>(
    db,
    'find_form',
    `SELECT ${COLUMNS} FROM forms f WHERE f.id = $2 AND f.project_id = $1 AND f.deleted_at IS NULL`,
    [projectId, id],
  );
}

export function lockForm(db: Db, projectId: string, id: string): Promise<FormRow | null> {
  return row<FormRow>(
    db,
    'lock_form',
    `SELECT ${COLUMNS} FROM forms f WHERE f.id = $2 AND f.project_id = $1 AND f.deleted_at IS NULL FOR UPDATE`,
    [projectId, id],
  );
}

export interface OpenFormRow extends FormRow {
  project_name: string;
  logo_id: string | null;
  brand_color: string | null;
  privacy_url: string | null;
}

/** A form that takes submissions, with what its page shows of the project. */
export function findOpenForm(db: Db, id: string): Promise<OpenFormRow | null> {
  return row<OpenFormRow>(
    db,
    'find_open_form',
    `SELECT ${COLUMNS}, p.name AS project_name, b.logo_id, b.color AS brand_color, b.privacy_url
     FROM forms f JOIN projects p ON p.id = f.project_id LEFT JOIN project_brands b ON b.project_id = p.id
     WHERE f.id = $1 AND f.deleted_at IS NULL AND f.status = 'active' AND p.active`,
    [id],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listForms(
  db: Db,
  projectId: string,
  { before, limit }: { before: Cursor | null; limit: number },
): Promise<(FormRow & { cursor_at: string })[]> {
  return rows<FormRow & { cursor_at: string }>(
    db,
    'list_forms',
    `SELECT ${COLUMNS}, ${cursorTime('f.created_at')} AS cursor_at FROM forms f
     WHERE f.project_id = $1 AND f.deleted_at IS NULL
       AND (f.created_at, f.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY f.created_at DESC, f.id DESC LIMIT $4`,
    [projectId, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

/** The caller holds the project's lock. */
export async function countForms(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_forms',
    'SELECT count(*) AS count FROM forms WHERE project_id = $1 AND deleted_at IS NULL',
    [projectId],
  );
  return counted?.count ?? 0;
}

/** Returns false if there is no such form. */
export async function deleteForm(db: Db, projectId: string, id: string): Promise<boolean> {
  const deleted = await change(
    db,
    'delete_form',
    `UPDATE forms SET deleted_at = clock_timestamp(), updated_at = now()
     WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL`,
    [projectId, id],
  );
  return deleted > 0;
}

/** What the forms of a project name, for the uses of tags and templates. */
export function findDefinitions(
  db: Db,
  projectId: string,
): Promise<Pick<FormRow, 'name' | 'fields' | 'routes'>[]> {
  return rows(
    db,
    'find_form_definitions',
    'SELECT name, fields, routes FROM forms WHERE project_id = $1 AND deleted_at IS NULL',
    [projectId],
  );
}
