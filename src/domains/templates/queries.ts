import type { Language } from '../../base/contract/common';
import type { Cursor } from '../../base/contract/cursor';
import { cursorTime } from '../../base/db/cursor-time';
import type { Db } from '../../base/db/pool';
import { change, row, rows } from '../../base/db/query';
import type { Retention } from '../../base/db/retention';
import type { ProjectTextChanges, ProjectTexts, TemplatePurpose, TemplateSource } from './contract';

export const retention = (): Retention => ({
  templates: { bounded: 'A project has at most 100.' },
  project_texts: { bounded: 'One row for each project.' },
});

export interface TemplateRow extends TemplateSource {
  id: string;
  key: string;
  name: string | null;
  purpose: TemplatePurpose;
  version: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, key, name, purpose, format, default_lang, variants, version, created_at, updated_at';

export interface TemplateValues extends TemplateSource {
  name: string | null;
  purpose: TemplatePurpose;
  default_lang: Language;
}

/** Returns null if the key is taken. */
export function insertTemplate(
  db: Db,
  projectId: string,
  template: TemplateValues & { id: string; key: string },
): Promise<TemplateRow | null> {
  return row<TemplateRow>(
    db,
    'insert_template',
    `INSERT INTO templates (id, project_id, key, name, purpose, format, default_lang, variants)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (project_id, key) DO NOTHING RETURNING ${COLUMNS}`,
    [
      template.id,
      projectId,
      template.key,
      template.name,
      template.purpose,
      template.format,
      template.default_lang,
      JSON.stringify(template.variants),
    ],
  );
}

export async function countTemplates(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    'count_templates',
    'SELECT count(*) AS n FROM templates WHERE project_id = $1',
    [projectId],
  );
  return counted?.n ?? 0;
}

/** A template with its project's name, which it can show. */
export interface NamedTemplate extends TemplateRow {
  project_name: string;
}

const NAMED = `${COLUMNS}, (SELECT p.name FROM projects p WHERE p.id = templates.project_id) AS project_name`;

export function findTemplate(db: Db, projectId: string, key: string): Promise<NamedTemplate | null> {
  return row<NamedTemplate>(
    db,
    'find_named_template',
    `SELECT ${NAMED} FROM templates WHERE project_id = $1 AND key = $2`,
    [projectId, key],
  );
}

export function findTemplateById(db: Db, projectId: string, id: string): Promise<TemplateRow | null> {
  return row<TemplateRow>(
    db,
    'find_template_by_id',
    `SELECT ${COLUMNS} FROM templates WHERE project_id = $1 AND id = $2`,
    [projectId, id],
  );
}

export function findTemplates(db: Db, projectId: string, keys: string[]): Promise<NamedTemplate[]> {
  return rows<NamedTemplate>(
    db,
    'find_named_templates',
    `SELECT ${NAMED} FROM templates WHERE project_id = $1 AND key = ANY ($2::text[])`,
    [projectId, keys],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listTemplates(
  db: Db,
  projectId: string,
  filter: { purpose?: TemplatePurpose | undefined; before: Cursor | null; limit: number },
): Promise<(TemplateRow & { cursor_at: string })[]> {
  return rows<TemplateRow & { cursor_at: string }>(
    db,
    'list_templates',
    `SELECT ${COLUMNS}, ${cursorTime('created_at')} AS cursor_at FROM templates
     WHERE project_id = $1 AND ($2::text IS NULL OR purpose = $2)
       AND (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY created_at DESC, id DESC LIMIT $5`,
    [
      projectId,
      filter.purpose ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
}

export function replaceTemplate(
  db: Db,
  projectId: string,
  key: string,
  template: TemplateValues,
): Promise<TemplateRow | null> {
  return row<TemplateRow>(
    db,
    'replace_template',
    `UPDATE templates SET name = $3, purpose = $4, format = $5, default_lang = $6, variants = $7,
       version = version + 1, updated_at = now()
     WHERE project_id = $1 AND key = $2 RETURNING ${COLUMNS}`,
    [
      projectId,
      key,
      template.name,
      template.purpose,
      template.format,
      template.default_lang,
      JSON.stringify(template.variants),
    ],
  );
}

export function deleteTemplate(db: Db, projectId: string, key: string): Promise<number> {
  return change(db, 'delete_template', 'DELETE FROM templates WHERE project_id = $1 AND key = $2', [
    projectId,
    key,
  ]);
}

export interface OperatorTemplate {
  key: string;
  project: string;
  name: string | null;
  version: number;
  created_at: Date;
}

/** Of all projects, or of one; newest first. */
export function listOperatorTemplates(
  db: Db,
  projectId: string | null,
  limit: number,
): Promise<OperatorTemplate[]> {
  return rows<OperatorTemplate>(
    db,
    'list_operator_templates',
    `SELECT t.key, p.slug AS project, t.name, t.version, t.created_at
     FROM templates t JOIN projects p ON p.id = t.project_id WHERE $1::uuid IS NULL OR t.project_id = $1
     ORDER BY t.created_at DESC, t.key DESC LIMIT $2`,
    [projectId, limit],
  );
}

/** The bot's texts in the project's own words, and the project's name; null if it has none. */
export function findProjectTexts(
  db: Db,
  projectId: string,
): Promise<{ texts: Partial<ProjectTexts>; project: string; active: boolean } | null> {
  return row(
    db,
    'find_project_texts',
    `SELECT t.texts, p.name AS project, p.active FROM project_texts t JOIN projects p ON p.id = t.project_id WHERE t.project_id = $1`,
    [projectId],
  );
}

/** Replaces the given texts; null removes one. */
export function saveProjectTexts(db: Db, projectId: string, changes: ProjectTextChanges): Promise<number> {
  return change(
    db,
    'save_project_texts',
    `INSERT INTO project_texts AS t (project_id, texts) VALUES ($1, jsonb_strip_nulls($2::jsonb))
     ON CONFLICT (project_id) DO UPDATE SET texts = jsonb_strip_nulls(t.texts || $2::jsonb)`,
    [projectId, JSON.stringify(changes)],
  );
}
