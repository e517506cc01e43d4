import type { TemplateVars } from '../contract/content';
import type { Db } from '../db/pool';
import type { FurtherNames } from './values';

/** An open definition that takes the template of the moment when it sends. */
export interface TemplateUse {
  /** As in an error: `A scheduled message`. */
  what: string;
  vars: TemplateVars;
  further: readonly FurtherNames[];
}

/** The caller holds the project's lock. */
export async function findTemplateUses(_db: Db, _projectId: string, _key: string): Promise<TemplateUse[]> {
  return Promise.resolve([]);
}
