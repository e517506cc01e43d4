import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { withTransaction } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import type { Cipher } from '../../base/lib/cipher';
import { randomBase62, sha256 } from '../../base/lib/tokens';
import { findProject, lockProject } from '../projects';
import type { Project } from '../projects/contract';
import type { NewLink } from './contract';
import { defineLabels } from './labels';
import { findLink, insertLink, lockLinkByToken, recordLinkUse, type SubscribeLink } from './queries/links';
import { subscribe, type Grants, type MessengerUser } from './queries/subscriptions';

/** 131 bits. */
const TOKEN_LENGTH = 22;
export const linkTokenPurpose = 'subscribe_link';

/** Creates a link with the work's id. Its labels become the project's own, in the same commit. */
export async function createLink(
  { pool, cipher }: { pool: pg.Pool; cipher: Cipher },
  projectId: string,
  request: NewLink,
  work: Work,
): Promise<SubscribeLink> {
  const earlier = work.resumed ? await findLink(pool, projectId, work.id) : null;
  if (earlier) return earlier;
  const token = randomBase62(TOKEN_LENGTH);
  const { tags = [], permissions = [], external_id = null } = request;
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    await defineLabels(db, projectId, 'tags', tags);
    await defineLabels(db, projectId, 'permissions', permissions);
    const row = {
      id: work.id,
      token_hash: sha256(token),
      token_sealed: cipher.encrypt(token, linkTokenPurpose, work.id),
      name: request.name ?? null,
      tags,
      permissions,
      external_id,
      expires_at: request.expires_at ?? null,
      max_uses: external_id === null ? (request.max_uses ?? null) : 1,
    };
    const link = await insertLink(db, projectId, row, limits.subscribeLinks);
    if (!link) {
      throw new AppError('conflict', `A project can have up to ${limits.subscribeLinks} live links.`);
    }
    // Here and not in the schema: a repeated request with the same Idempotency-Key gets its response, however late it comes.
    if (!link.live) throw new AppError('validation_failed', 'expires_at: must be in the future');
    return link;
  });
}

export function grantsOf({ tags, permissions, external_id }: SubscribeLink): Grants {
  return { tags, permissions, external_id };
}

/**
 * Subscribes a user who opened a link in the bot. Null if the link is unknown, expired or used up. An opening that
 * changes nothing is not a use. Lock order: link, then subscriber.
 */
export function openLink(
  pool: pg.Pool,
  token: string,
  user: MessengerUser,
  {
    updateId,
    servedProjectId,
    format,
  }: {
    updateId: number;
    /** Of a bot that serves one project: the links of others are unknown there. */
    servedProjectId: string | null;
    format: SubscriberIdFormat;
  },
): Promise<Project | null> {
  return withTransaction(pool, async (db) => {
    const link = await lockLinkByToken(db, sha256(token));
    // An update that is handled again after a crash may have been the last use.
    if (!link || (!link.live && link.last_update_id !== updateId)) return null;
    if (servedProjectId !== null && servedProjectId !== link.project_id) return null;
    const project = await findProject(db, link.project_id);
    if (!project?.active) return null;
    const { isChanged } = await subscribe(db, project.id, user, format, grantsOf(link));
    if (isChanged) await recordLinkUse(db, link.id, updateId);
    return project;
  });
}
