import type pg from 'pg';
import { isUuid } from '../contract/ids';
import * as search from './queries/search';
import { parseSearchText } from './search-text';

/** A page of the project's deliveries; with `q` those that it names by id, or whose body contains it. */
export async function searchDeliveries(
  pool: pg.Pool,
  projectId: string,
  q: string | undefined,
  filter: search.SearchFilter,
): Promise<search.FoundDelivery[]> {
  if (q === undefined) return search.listAllDeliveries(pool, projectId, filter);
  const id = q.toLowerCase();
  const named = isUuid(id)
    ? await search.findById(pool, projectId, id, true)
    : await search.findById(pool, projectId, q, false);
  if (named) return search.listNamed(pool, projectId, named, filter);
  const text = parseSearchText(q);
  const eventIds = text.words.length > 0 ? await search.findEventsWithText(pool, projectId, text) : null;
  // The index cannot find text that begins inside a word, so the newest events are read.
  if (eventIds === null || eventIds.length === 0) {
    return search.readForText(pool, projectId, text, filter);
  }
  return search.listNamed(pool, projectId, { delivery_id: null, event_ids: eventIds }, filter);
}
