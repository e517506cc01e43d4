import type pg from 'pg';
import { type BatchWork, scheduleAt } from '../../base/agenda';
import { limits } from '../../base/contract/limits';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Cause } from '../subscribers';
import type { Properties } from '../subscribers/contract';
import {
  insertEnrolments,
  insertEntries,
  lockEntrants,
  lockTriggeredChains,
  takeEntry,
  type Entry,
  type TriggeredChain,
} from './queries/enrol';
import { scheduleEnrolments } from './queries/enrolments';
import { propertyRulesHold } from './rules/evaluate';

/** One object, so that entries with none can be told by it. */
const NO_PROPERTIES: Properties = {};

/**
 * Enrols subscribers into the chains that these causes trigger, in the cause's transaction: a chain that can no longer
 * take a subscriber is left out. Lock order: project, subscribers, chains, enrolments. A thousand people and a hundred chains
 * make a hundred thousand enrolments: those beyond a batch are left to the agenda, because the project's logins wait.
 */
export async function enrolByCauses(db: Db, projectId: string, causes: readonly Cause[]): Promise<void> {
  const chains = await lockTriggeredChains(db, projectId, causes);
  if (chains.length === 0) return;
  const wanted = chains.flatMap((chain) =>
    causes
      .filter((cause) => isTriggeredBy(chain, cause))
      .map((cause) => ({
        chainId: chain.id,
        subscriberId: cause.subscriberId,
        properties: cause.type === 'event' ? cause.properties : NO_PROPERTIES,
      })),
  );
  const distinct = firstOfEach(wanted);
  await enrolWanted(db, distinct.slice(0, BATCH_ROWS), null);
  const rest = entriesOf(distinct.slice(BATCH_ROWS));
  if (rest.length === 0) return;
  const ids = await insertEntries(db, rest);
  await scheduleAt(
    db,
    DRIP_ENTRIES,
    ids.map((id) => ({ id, project_id: projectId })),
  );
}

/** Entries of a batch at most, each of subscribers who enter the same chain with the same properties. */
function entriesOf(wanted: Wanted[]): Entry[] {
  const open = new Map<string, Map<Properties, Entry>>();
  const entries: Entry[] = [];
  for (const { chainId, subscriberId, properties } of wanted) {
    const ofChain = open.get(chainId) ?? new Map<Properties, Entry>();
    open.set(chainId, ofChain);
    const known = ofChain.get(properties);
    if (known && known.subscriberIds.length < BATCH_ROWS) {
      known.subscriberIds.push(subscriberId);
      continue;
    }
    const entry = { chainId, subscriberIds: [subscriberId], properties };
    ofChain.set(properties, entry);
    entries.push(entry);
  }
  return entries;
}

const DRIP_ENTRIES = 'drip-entries';

/** Enrols the subscribers of one entry and removes it, in one commit, so that a crash neither loses nor repeats an enrolment. */
export function dripEntries(pool: pg.Pool): BatchWork {
  return {
    name: DRIP_ENTRIES,
    nextBatch: ({ id }) =>
      withTransaction(pool, async (db) => {
        const entry = await takeEntry(db, id);
        if (!entry) return null;
        const { chainId, subscriberIds, properties } = entry;
        const wanted = subscriberIds.map((subscriberId) => ({ chainId, subscriberId, properties }));
        await enrolWanted(db, wanted, null);
        return null;
      }),
  };
}

/** Enrols these subscribers by a request. Returns the ids of the enrolments that were begun. The caller has locked the chain. */
export function enrolInto(
  db: Db,
  chainId: string,
  subscriberIds: string[],
  { properties, requestId }: { properties: Properties; requestId: string },
): Promise<string[]> {
  const wanted = subscriberIds.map((subscriberId) => ({ chainId, subscriberId, properties }));
  return enrolWanted(db, wanted, requestId);
}

interface Wanted {
  chainId: string;
  subscriberId: string;
  properties: Properties;
}

async function enrolWanted(db: Db, wanted: Wanted[], requestId: string | null): Promise<string[]> {
  if (wanted.length === 0) return [];
  // The limits below are counted in a snapshot after this lock, so that they are exact.
  await lockEntrants(db, [...new Set(wanted.map(({ subscriberId }) => subscriberId))]);
  const begun = await insertEnrolments(db, wanted, requestId, limits.dripBegunPerDay);
  await scheduleEnrolments(db, begun);
  return begun.map(({ id }) => id);
}

function isTriggeredBy({ trigger }: TriggeredChain, cause: Cause): boolean {
  switch (trigger.type) {
    case 'subscription':
      return cause.type === 'subscription';
    case 'tag_added':
      return cause.type === 'tag_added' && cause.tag === trigger.tag;
    case 'event':
      return (
        cause.type === 'event' &&
        cause.name === trigger.name &&
        (trigger.where === undefined || propertyRulesHold(trigger.where, cause.properties))
      );
    case 'manual':
      return false;
  }
}

/** A subscriber enters a chain once, by the first of several causes. */
function firstOfEach(wanted: Wanted[]): Wanted[] {
  const first = new Map<string, Wanted>();
  for (const each of wanted) {
    const key = `${each.chainId} ${each.subscriberId}`;
    if (!first.has(key)) first.set(key, each);
  }
  return [...first.values()];
}
