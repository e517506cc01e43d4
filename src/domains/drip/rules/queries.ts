import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';
import type { Properties } from '../../subscribers/contract';
import type { Rules } from './contract';
import { eventKey, eventQuestions, type Facts } from './evaluate';

/**
 * Reads what the given rules need to know about a subscriber; null if the subscriber does not exist. `since` is the
 * beginning of the enrolment, inclusive. Without `since_minutes` an event counts by the time at which it was received,
 * so that one that is reported late ends a chain all the same.
 */
export async function findFacts(
  db: Db,
  subscriberId: string,
  sets: readonly Rules[],
  since: Date | string,
): Promise<Facts | null> {
  const questions = eventQuestions(sets);
  const found = await row<{
    tags: string[];
    permissions: string[];
    properties: Properties;
    happened: number[];
  }>(
    db,
    'find_rule_facts',
    // No event occurs later than a few minutes after it was received: that bounds the scan of the index.
    `SELECT s.tags, s.permissions, s.properties, ARRAY(
       SELECT q.place::int FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS q (name, minutes, place)
       WHERE CASE WHEN q.minutes IS NULL
         THEN EXISTS (SELECT 1 FROM tracked_events t
           WHERE t.subscriber_id = s.id AND t.name = q.name AND t.received_at >= $4)
         ELSE EXISTS (SELECT 1 FROM tracked_events t
           WHERE t.subscriber_id = s.id AND t.name = q.name
             AND t.received_at >= now() - make_interval(mins => q.minutes + ${limits.trackedMinutesAhead})
             AND t.occurred_at >= now() - make_interval(mins => q.minutes)) END
     ) AS happened
     FROM subscribers s WHERE s.id = $1`,
    [
      subscriberId,
      questions.map(({ name }) => name),
      questions.map(({ sinceMinutes }) => sinceMinutes),
      since,
    ],
  );
  if (!found) return null;
  const happened = found.happened.flatMap((place) => questions[place - 1] ?? []).map(eventKey);
  return { ...found, happened: new Set(happened) };
}
