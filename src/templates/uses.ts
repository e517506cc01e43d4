import type { TemplateVars } from '../contract/content';
import type { Db } from '../db/pool';
import { findOpenDefinitions } from './queries';
import type { FurtherNames } from './values';

/** An open definition that takes the template of the moment when it sends. */
export interface TemplateUse {
  /** As in an error: `A scheduled message`. */
  what: string;
  vars: TemplateVars;
  further: readonly FurtherNames[];
}

/** The caller holds the project's lock, under which definitions are created too. */
export async function findTemplateUses(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const found = await findOpenDefinitions(db, projectId, key);
  return found.map(({ kind, vars }) => ({
    what: named[kind],
    vars,
    further: kind === 'drip' ? ['event'] : [],
  }));
}

const named = {
  scheduled: 'A scheduled message',
  recurring: 'A recurring message',
  drip: 'A drip chain',
} as const;
