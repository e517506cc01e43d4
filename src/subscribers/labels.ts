import type pg from 'pg';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { withTransaction, type Db } from '../db/pool';
import type { Work } from '../http/idempotency';
import { createRegistry } from '../lib/registry';
import { lockProject } from '../projects';
import {
  deleteLabel,
  findLabel,
  registerLabels,
  replaceOnSubscribers,
  updateLabel,
  type LabelKind,
  type LabelRow,
  type LabelValues,
} from './queries/labels';
import { linkNaming } from './queries/links';

export const maxLabels = { tags: limits.tagsPerProject, permissions: limits.permissionsPerProject } as const;

const singular = { tags: 'tag', permissions: 'permission' } as const;

/**
 * Finds a definition of one domain that names a tag or a permission, such as a scheduled broadcast, and says what it is;
 * null if there is none.
 */
export type LabelUse = (db: Db, projectId: string, kind: LabelKind, name: string) => Promise<string | null>;

export const labelUses = createRegistry<LabelUse>('labelUses');

const usedByLink: LabelUse = async (db, projectId, kind, name) => {
  const link = await linkNaming(db, projectId, kind, name);
  return link === null ? null : `the subscribe link "${link}"`;
};

/** Creates a tag or a permission. A request that is resumed after a crash finds what it has created. */
export function createLabel(
  pool: pg.Pool,
  projectId: string,
  kind: LabelKind,
  values: LabelValues,
  { resumed }: Pick<Work, 'resumed'>,
): Promise<LabelRow> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const existing = await findLabel(db, projectId, kind, values.name);
    if (existing) {
      if (resumed) return existing;
      throw new AppError('conflict', `The ${singular[kind]} "${values.name}" exists already.`);
    }
    await defineLabels(db, projectId, kind, [values.name]);
    await updateLabel(db, projectId, kind, values.name, values);
    return requireLabel(db, projectId, kind, values.name);
  });
}

/** Registers names that stay without a subscriber. The caller holds the project's row lock. */
export async function defineLabels(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[],
): Promise<void> {
  if (names.length === 0 || (await registerLabels(db, projectId, kind, names, maxLabels[kind], true))) return;
  throw new AppError('conflict', `A project can have up to ${maxLabels[kind]} ${kind}.`);
}

/** Changes a label. A new name replaces the old one on all subscribers, in the same commit. */
export function changeLabel(
  pool: pg.Pool,
  projectId: string,
  kind: LabelKind,
  name: string,
  changes: Partial<LabelValues>,
): Promise<LabelRow> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const label = await requireLabel(db, projectId, kind, name);
    const { name: newName, title_en, title_ru, granted_by_default } = { ...label, ...changes };
    if (newName !== name) {
      await refuseIfUsed(db, projectId, kind, name);
      if (await findLabel(db, projectId, kind, newName)) {
        throw new AppError('conflict', `The ${singular[kind]} "${newName}" exists already.`);
      }
      await replaceOnSubscribers(db, projectId, kind, name, newName);
    }
    await updateLabel(db, projectId, kind, name, { name: newName, title_en, title_ru, granted_by_default });
    return requireLabel(db, projectId, kind, newName);
  });
}

/** Removes a label, also from all subscribers. */
export function removeLabel(pool: pg.Pool, projectId: string, kind: LabelKind, name: string): Promise<void> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    await requireLabel(db, projectId, kind, name);
    await refuseIfUsed(db, projectId, kind, name);
    await replaceOnSubscribers(db, projectId, kind, name, null);
    await deleteLabel(db, projectId, kind, name);
  });
}

async function requireLabel(db: Db, projectId: string, kind: LabelKind, name: string): Promise<LabelRow> {
  const label = await findLabel(db, projectId, kind, name);
  if (!label) throw new AppError('not_found');
  return label;
}

async function refuseIfUsed(db: Db, projectId: string, kind: LabelKind, name: string): Promise<void> {
  for (const use of [usedByLink, ...labelUses.entries()]) {
    const user = await use(db, projectId, kind, name);
    if (user !== null) throw new AppError('conflict', `The ${singular[kind]} is used by ${user}.`);
  }
}
