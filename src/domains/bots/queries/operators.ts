import type { Channel } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

/* What operators see of the bots of all projects. */

/** Age of the oldest unhandled bot update, in seconds, and the number of updates set aside. */
export async function botUpdateLag(db: Db): Promise<{ lag: number; setAside: number }> {
  const found = await row<{ lag: number | null; set_aside: number }>(
    db,
    'bot_update_lag',
    `SELECT (SELECT extract(epoch FROM now() - min(received_at))::float8
             FROM bot_updates WHERE handled_at IS NULL AND set_aside_at IS NULL) AS lag,
       (SELECT count(*)::int FROM bot_updates WHERE handled_at IS NULL AND set_aside_at IS NOT NULL) AS set_aside`,
  );
  return { lag: found?.lag ?? 0, setAside: found?.set_aside ?? 0 };
}

interface OwnBotCount {
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

interface TroubledBot {
  project_id: string;
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
    `SELECT project_id, username, channel, status, error, status_at
     FROM project_bots WHERE status <> 'connected' ORDER BY status_at LIMIT $1`,
    [limit],
  );
}
