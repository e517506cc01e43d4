import { limits } from '../contract/limits';
import { notifyAfterCommit, notifyChannels } from '../db/notify';
import type { Db } from '../db/pool';
import type { Cause } from '../subscribers';
import type { Properties } from '../subscribers/contract';
import { insertEnrolments, lockEntrants, lockTriggeredChains, type TriggeredChain } from './queries/enrol';
import { propertyRulesHold } from './rules/evaluate';

/**
 * Enrols subscribers into the chains that these causes trigger, in the cause's transaction: a chain that can no longer
 * take a subscriber is left out. Lock order: project, subscribers, chains, enrolments.
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
        properties: cause.type === 'event' ? cause.properties : {},
      })),
  );
  await enrolWanted(db, firstOfEach(wanted), null);
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
  if (begun.length > 0) notifyAfterCommit(db, notifyChannels.drip);
  return begun;
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
