import type { Db } from '../../base/db/pool';
import type { LabelUse } from '../subscribers';
import type { TemplateUse } from '../templates';
import { findScheduledWithTemplate, isScheduledNaming } from './queries/uses';

/** An entry that is not sent yet and names a tag or a permission. */
export const scheduledNaming: LabelUse = async (db, projectId, kind, name) =>
  (await isScheduledNaming(db, projectId, kind, name)) ? 'a scheduled message' : null;

/** Open entries that use a template. */
export async function scheduledWithTemplate(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const found = await findScheduledWithTemplate(db, projectId, key);
  return found.map(({ vars }) => ({ what: 'a scheduled message', vars, further: [] }));
}
