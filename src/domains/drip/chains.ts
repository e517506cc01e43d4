import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { requireRoomForEntry } from '../broadcasts';
import { isRenderable } from '../../base/contract/content';
import { orNotFound } from '../../base/contract/errors';
import type { Config } from '../../base/config';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { isoTime } from '../../base/lib/iso-time';
import { storeContent } from '../messages';
import { lockProject } from '../projects';
import { defineLabels } from '../subscribers';
import { resolveTemplate } from '../templates';
import { contentsOf, type ChainChanges, type ChainView, type NewChain, type Step } from './contract';
import { beginSync, syncNow } from './sync';
import {
  changeChain,
  deleteChain,
  findChain,
  insertChain,
  lockChain,
  removeUnusedVersions,
  type ChainRow,
} from './queries/chains';

export interface ChainDeps {
  pool: pg.Pool;
  config: Pick<Config, 'allowLocalWebhooks' | 'HERALD_DRIP_SCALE'>;
}

export async function createChain(
  deps: ChainDeps,
  projectId: string,
  request: NewChain,
  work: Work,
): Promise<ChainRow> {
  const { pool } = deps;
  const earlier = work.resumed ? await findChain(pool, projectId, work.id) : null;
  if (earlier) return earlier;
  await checkMessagesNow(deps, projectId, request.steps);
  return withTransaction(pool, async (db) => {
    // Locks the project: what the chain names is not removed meanwhile.
    await requireRoomForEntry(db, projectId);
    await checkNames(db, projectId, request.steps);
    const { exit_on = null, ...values } = request;
    return insertChain(db, projectId, work.id, { ...values, exit_on, version: 1 });
  });
}

export async function patchChain(
  deps: ChainDeps,
  projectId: string,
  id: string,
  { migrate = false, ...changes }: ChainChanges,
): Promise<ChainRow> {
  const { pool } = deps;
  await requireChain(pool, projectId, id);
  if (changes.steps) await checkMessagesNow(deps, projectId, changes.steps);
  const after = await withTransaction(pool, async (db) => {
    // Templates, tags and permissions that the chain names are not removed under this lock.
    await lockProject(db, projectId);
    if (changes.steps) await checkNames(db, projectId, changes.steps);
    const before = orNotFound(await lockChain(db, projectId, id));
    const values = {
      name: changes.name ?? before.name,
      trigger: changes.trigger ?? before.trigger,
      steps: changes.steps ?? before.steps,
      exit_on: changes.exit_on === undefined ? before.exit_on : changes.exit_on,
      reentry: changes.reentry ?? before.reentry,
      status: changes.status ?? before.status,
    };
    const isNewVersion = (['trigger', 'steps', 'exit_on'] as const).some(
      (field) => !isDeepStrictEqual(plain(values[field]), plain(before[field])),
    );
    const version = before.version + (isNewVersion ? 1 : 0);
    const changed = await changeChain(db, before, { ...values, version }, isNewVersion);
    const isActivated = changed.status === 'active' && before.status !== 'active';
    const needsSync = migrate || isActivated;
    if (needsSync) await beginSync(db, { id, project_id: projectId }, migrate ? version : null);
    if (isNewVersion) await removeUnusedVersions(db, id);
    return { changed, needsSync };
  });
  if (after.needsSync) await syncNow(deps, { id, project_id: projectId });
  return after.changed;
}

/** As it is stored: without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** From the commit on it sends nothing more; its enrolments are cancelled after it. */
export async function removeChain(deps: ChainDeps, projectId: string, id: string): Promise<void> {
  const chain = { id, project_id: projectId };
  await withTransaction(deps.pool, async (db) => {
    orNotFound(await lockChain(db, projectId, id));
    await deleteChain(db, id);
    await beginSync(db, chain, null);
  });
  await syncNow(deps, chain);
}

export async function requireChain(db: Db, projectId: string, id: string): Promise<ChainRow> {
  return orNotFound(await findChain(db, projectId, id));
}

/** Media and templates as they are now; what is sent is read again at the time. */
async function checkMessagesNow({ pool, config }: ChainDeps, projectId: string, steps: readonly Step[]) {
  const policy = { allowLocal: config.allowLocalWebhooks };
  for (const { path, content } of contentsOf(steps)) {
    await storeContent(pool, projectId, content, policy, { path, further: ['event'] });
  }
}

/** Under the project's lock: the templates exist, and the tags that the chain adds become the project's own. */
async function checkNames(db: Db, projectId: string, steps: readonly Step[]): Promise<void> {
  for (const { path, content } of contentsOf(steps)) {
    if (isRenderable(content)) await resolveTemplate(db, projectId, content, path, ['event']);
  }
  const added = steps.flatMap((step) => (step.type === 'tag' ? (step.add ?? []) : []));
  await defineLabels(db, projectId, 'tags', [...new Set(added)]);
}

export function presentChain(chain: ChainRow): ChainView {
  return {
    drip_id: chain.id,
    name: chain.name,
    trigger: chain.trigger,
    steps: chain.steps,
    exit_on: chain.exit_on,
    reentry: chain.reentry,
    status: chain.status,
    version: chain.version,
    created_at: isoTime(chain.created_at),
    updated_at: isoTime(chain.updated_at),
  };
}
