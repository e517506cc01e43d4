import type { Db } from '../../base/db/pool';
import type { LabelUse } from '../subscribers';
import type { TemplateUse } from '../templates';
import { findRecurringWithTemplate, isRecurringNaming } from './queries/uses';

/** A message that has not ended and names a tag or a permission. */
export const recurringNaming: LabelUse = async (db, projectId, kind, name) =>
  (await isRecurringNaming(db, projectId, kind, name)) ? 'a recurring broadcast' : null;

/** Open messages that use a template. */
export async function recurringWithTemplate(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const found = await findRecurringWithTemplate(db, projectId, key);
  return found.map(({ vars }) => ({ what: 'a recurring message', vars, further: [] }));
}
