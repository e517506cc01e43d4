import type { Channel } from '../../contract/common';
import type { Db } from '../../db/pool';
import { rows } from '../../db/query';

export interface OwnBotCount {
  channel: Channel;
  status: string;
  count: number;
}

export function countOwnBots(db: Db): Promise<OwnBotCount[]> {
  return rows<OwnBotCount>(
    db,
    'count_own_bots',
    'SELECT channel, status, count(*)::int AS count FROM project_bots GROUP BY channel, status',
  );
}

export interface TroubledBot {
  slug: string;
  username: string;
  channel: Channel;
  status: string;
  error: string | null;
  status_at: Date;
}

/** Own bots whose messenger does not respond or refuses them, the longest first. */
export function troubledOwnBots(db: Db, limit: number): Promise<TroubledBot[]> {
  return rows<TroubledBot>(
    db,
    'troubled_own_bots',
    `SELECT p.slug, b.username, b.channel, b.status, b.error, b.status_at
     FROM project_bots b JOIN projects p ON p.id = b.project_id
     WHERE b.status <> 'connected' ORDER BY b.status_at LIMIT $1`,
    [limit],
  );
}
