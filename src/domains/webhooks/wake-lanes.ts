import { notifyAfterCommit, notifyChannels } from '../../base/db/notify';
import type { Db } from '../../base/db/pool';
import type { DeliveryLane, LaneSetting } from './contract';

/** Only a worker knows which lane is the default. */
type Waiting = LaneSetting | 'default';

const channelOf: Record<Waiting, string> = {
  workflow: notifyChannels.workflowLane,
  auto: notifyChannels.workflowLane,
  express: notifyChannels.expressLane,
  default: notifyChannels.defaultLane,
};

/** Wakes the relays of a lane after the commit. Null: of the workers' default lane. */
export function wakeLane(db: Db, lane: LaneSetting | null): void {
  notifyAfterCommit(db, channelOf[lane ?? 'default']);
}

/** The channels that wake the relays of a lane. */
export function channelsOf(lane: DeliveryLane, defaultLane: LaneSetting): string[] {
  const waiting: Waiting[] = ['workflow', 'auto', 'express', 'default'];
  const own = channelOf[lane];
  const isOwn = (one: Waiting) => channelOf[one === 'default' ? defaultLane : one] === own;
  return [...new Set(waiting.filter(isOwn).map((one) => channelOf[one]))];
}
