import type { DeliveryLane } from './contract';
import { readDueNotice } from '../db/notify';
import type { SlowEndpoints } from './slow-endpoints';

/** For a lane's relay: a delivery to an endpoint that is held back can wait until it is not. */
export function createDueNoticeReader(lane: DeliveryLane, slowEndpoints: Pick<SlowEndpoints, 'heldBackMs'>) {
  return (payload: string): number | null => {
    const notice = readDueNotice(payload);
    if (notice.lane !== 'any' && notice.lane !== lane) return null;
    return notice.endpointId === null ? 0 : slowEndpoints.heldBackMs(notice.endpointId);
  };
}
