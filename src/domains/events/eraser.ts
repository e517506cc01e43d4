import type pg from 'pg';
import type { BatchWork } from '../../base/agenda';
import { withTransaction } from '../../base/db/pool';
import { eraseDueEvents, EVENT_ERASURES } from './queries/erase';

/** Erases the events of removed subscribers, each when its last open delivery has ended. */
export function eventErasures(pool: pg.Pool): BatchWork {
  return {
    name: EVENT_ERASURES,
    nextBatch: ({ id }) => withTransaction(pool, (db) => eraseDueEvents(db, id)),
  };
}
