import type pg from 'pg';
import { isUuid } from '../../base/contract/ids';
import { inReadTurn } from '../../base/db/batches';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import * as search from './queries/search';
import { parseSearchText, type SearchText } from './search-text';

/** Runs reads of bodies, which take long. */
type ReadBodies = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * A page of the project's deliveries; with `q` those that it names by id, or whose body contains it. Bodies are read in the
 * project's turn, unless the caller has it already.
 */
export async function searchDeliveries(
  pool: pg.Pool,
  projectId: string,
  q: string | undefined,
  filter: search.SearchFilter,
  readBodies: ReadBodies = (read) => inReadTurn(projectId, read, { waitMs: SHARE_WAIT_MS }),
): Promise<search.FoundDelivery[]> {
  if (q === undefined) return search.listAllDeliveries(pool, projectId, filter);
  const id = q.toLowerCase();
  const named = isUuid(id)
    ? await search.findById(pool, projectId, id, true)
    : await search.findById(pool, projectId, q, false);
  if (named) return search.listNamed(pool, projectId, named, filter);
  return readBodies(() => searchBodies(pool, projectId, parseSearchText(q), filter));
}

async function searchBodies(
  pool: pg.Pool,
  projectId: string,
  text: SearchText,
  filter: search.SearchFilter,
): Promise<search.FoundDelivery[]> {
  const withinLimit = search.createReadLimit(pool);
  // The index would first list every event that has such a text.
  const frequent = await search.readFrequentText(withinLimit, projectId, text, filter);
  if (frequent) return frequent;
  const eventIds =
    text.words.length > 0 ? await search.findEventsWithText(withinLimit, projectId, text) : null;
  // The index cannot find text that begins inside a word, so the newest events are read.
  if (eventIds === null || eventIds.length === 0) {
    return search.readForText(withinLimit, projectId, text, filter);
  }
  return search.listNamed(pool, projectId, { delivery_id: null, event_ids: eventIds }, filter);
}
