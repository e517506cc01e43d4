import type { TemplateVars } from '../../base/contract/content';
import type { Db } from '../../base/db/pool';
import { createRegistry } from '../../base/lib/registry';
import type { FurtherNames } from './values';

/** An open definition that takes the template's current version when it sends. */
export interface TemplateUse {
  /** As inside a sentence: `a scheduled message`. */
  what: string;
  vars: TemplateVars;
  further: readonly FurtherNames[];
}

/** Finds the open definitions of one domain that use a template. */
type FindTemplateUses = (db: Db, projectId: string, key: string) => Promise<TemplateUse[]>;

export const templateUses = createRegistry<FindTemplateUses>('templateUses');

/** The caller holds the project's lock, under which definitions are created too. */
export async function findTemplateUses(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const uses: TemplateUse[] = [];
  for (const find of templateUses.entries()) uses.push(...(await find(db, projectId, key)));
  return uses;
}
