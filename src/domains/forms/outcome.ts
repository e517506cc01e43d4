import type { Core } from '../../base/core';
import type { SubscriberRecord } from '../subscribers';
import type { FormRoute, RouteStatus } from './contract';
import type { DueRoute, LockedSubmission } from './queries/routes';

export type RouteDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log' | 'publicUrl'>;

/** What a route has done, or why not. */
export interface Outcome {
  status: RouteStatus;
  reason: string | null;
}

export const done: Outcome = { status: 'done', reason: null };
export const skipped = (reason: string): Outcome => ({ status: 'skipped', reason });
export const failed = (reason: string): Outcome => ({ status: 'failed', reason });

/** A message that is sent after the transaction which has begun its route. */
export interface BegunMessage {
  due: DueRoute & { route: Extract<FormRoute, { action: 'message' }> };
  submission: LockedSubmission;
  subscriber: SubscriberRecord;
}
