import type pg from 'pg';
import {
  AFTER_REQUEST,
  type BatchWork,
  beginNow,
  MORE,
  type Next,
  scheduleAt,
  unschedule,
} from '../../base/agenda';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { createRegistry } from '../../base/lib/registry';
import { lockProject } from '../projects';
import {
  deleteLabel,
  deleteLabelChange,
  findChangingLabel,
  findLabel,
  insertLabelChange,
  lockLabelChange,
  readLabel,
  registerLabels,
  replaceOnNext,
  updateLabel,
  type LabelChange,
  type LabelKind,
  type LabelRow,
  type LabelValues,
} from './queries/labels';
import { linkNaming } from './queries/links';

export const labelKinds = {
  tags: { one: 'tag', most: limits.tagsPerProject },
  permissions: { one: 'permission', most: limits.permissionsPerProject },
} as const satisfies Record<LabelKind, unknown>;

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
      throw new AppError('conflict', `The ${labelKinds[kind].one} "${values.name}" exists already.`);
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
  if (names.length === 0) return;
  await refuseIfChanging(db, projectId, kind, names, { gained: false });
  if (await registerLabels(db, projectId, kind, names, labelKinds[kind].most, true)) return;
  throw new AppError('conflict', `A project can have up to ${labelKinds[kind].most} ${kind}.`);
}

/**
 * Changes a label. A new name replaces the old one on its subscribers: on up to a thousand in the same commit, on the others
 * after it. Until then the old name stands for the new one.
 */
export async function changeLabel(
  pool: pg.Pool,
  projectId: string,
  kind: LabelKind,
  name: string,
  changes: Partial<LabelValues>,
): Promise<LabelRow> {
  const { name: newName = name } = changes;
  const rest = await withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const label = orNotFound(await readLabel(db, projectId, kind, name));
    const { title_en, title_ru, granted_by_default } = { ...label, ...changes };
    if (newName !== name) {
      await refuseIfUsed(db, projectId, kind, name);
      await refuseIfChanging(db, projectId, kind, [name, newName], { gained: true });
      if (await readLabel(db, projectId, kind, newName)) {
        throw new AppError('conflict', `The ${labelKinds[kind].one} "${newName}" exists already.`);
      }
    }
    await updateLabel(db, projectId, kind, name, { name: newName, title_en, title_ru, granted_by_default });
    return newName === name
      ? null
      : beginChange(db, { project_id: projectId, kind, name, new_name: newName });
  });
  if (rest) await beginNow(pool, labelChanges(pool), rest);
  return requireLabel(pool, projectId, kind, newName, name);
}

/** Removes a label, also from its subscribers: from up to a thousand in the same commit, from the others after it. */
export async function removeLabel(
  pool: pg.Pool,
  projectId: string,
  kind: LabelKind,
  name: string,
): Promise<void> {
  const rest = await withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    orNotFound(await readLabel(db, projectId, kind, name));
    await refuseIfUsed(db, projectId, kind, name);
    await refuseIfChanging(db, projectId, kind, [name], { gained: true });
    await deleteLabel(db, projectId, kind, name);
    return beginChange(db, { project_id: projectId, kind, name, new_name: null });
  });
  if (rest) await beginNow(pool, labelChanges(pool), rest);
}

/** Returns the entry of the change if more subscribers may have the label. The caller holds the project's row lock. */
async function beginChange(db: Db, labelChange: LabelChange): Promise<DueChange | null> {
  if ((await replaceOnNext(db, labelChange)) < BATCH_ROWS) return null;
  const due = { id: await insertLabelChange(db, labelChange), project_id: labelChange.project_id };
  await scheduleAt(db, LABEL_CHANGES, [{ ...due, at: AFTER_REQUEST }]);
  return due;
}

interface DueChange {
  id: string;
  project_id: string;
}

const LABEL_CHANGES = 'label-changes';

/**
 * Replaces a label on the subscribers who still have it, in batches: a label can have 100,000, and logins wait for the project's
 * row, messages for the subscribers'. Safe to repeat: subscribers who were changed no longer have the old name.
 */
export function labelChanges(pool: pg.Pool): BatchWork {
  return {
    name: LABEL_CHANGES,
    async nextBatch(due) {
      const isFull = await withTransaction(pool, async (db) => {
        const labelChange = await lockLabelChange(db, due.id);
        return labelChange !== null && (await replaceOnNext(db, labelChange)) === BATCH_ROWS;
      });
      return isFull ? MORE : replaceLast(pool, due);
    },
  };
}

/** Subscribers get labels under the project's lock, so none gets the old name between the last batch and the end. */
function replaceLast(pool: pg.Pool, { id, project_id }: DueChange): Promise<Next> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, project_id);
    const labelChange = await lockLabelChange(db, id);
    if (labelChange && (await replaceOnNext(db, labelChange)) === BATCH_ROWS) return MORE;
    await deleteLabelChange(db, id);
    await unschedule(db, LABEL_CHANGES, [id]);
    return null;
  });
}

async function requireLabel(
  db: Db,
  projectId: string,
  kind: LabelKind,
  name: string,
  formerName?: string,
): Promise<LabelRow> {
  return orNotFound(await findLabel(db, projectId, kind, name, formerName));
}

async function refuseIfChanging(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[],
  options: { gained: boolean },
): Promise<void> {
  const name = await findChangingLabel(db, projectId, kind, names, options);
  if (name === null) return;
  throw new AppError(
    'conflict',
    `The ${labelKinds[kind].one} "${name}" is still being changed on its subscribers. Try again in a moment.`,
  );
}

async function refuseIfUsed(db: Db, projectId: string, kind: LabelKind, name: string): Promise<void> {
  for (const use of [usedByLink, ...labelUses.entries()]) {
    const user = await use(db, projectId, kind, name);
    if (user !== null) throw new AppError('conflict', `The ${labelKinds[kind].one} is used by ${user}.`);
  }
}
