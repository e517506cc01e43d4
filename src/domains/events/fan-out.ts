import type pg from 'pg';
import type { Db } from '../../base/db/pool';
import { createSlot } from '../../base/lib/registry';

/** An event that the current transaction writes, and how it is delivered. */
export interface FanOutEvent {
  id: string;
  /** One of many: its deliveries have the lowest priority. */
  bulk?: boolean;
  /** To this endpoint only, whatever events it subscribes to. */
  only?: { endpointId: string; deliveryId: string } | undefined;
}

/** The deliveries of events. `webhooks`, the room above that owns them, registers this. */
export interface Deliveries {
  /**
   * Writes one delivery for each event of the current transaction and endpoint that matches it, and wakes the relays of their
   * lanes after the commit. Returns the number of deliveries of each event that has any.
   */
  fanOut(db: Db, events: readonly FanOutEvent[]): Promise<Map<string, number>>;
  /**
   * The events with a delivery that is pending, being retried or, with `endedDays`, ended less than that many days ago. The
   * deliveries of the others are locked until the end of the transaction.
   */
  eventsInUse(db: Db, eventIds: readonly string[], endedDays: number | null): Promise<string[]>;
  /** Deletes the deliveries of events that are deleted, and everything else that belongs to them. */
  remove(db: Db, eventIds: readonly string[]): Promise<void>;
  /** The deliveries of a project that wait for their first attempt, without those of disabled endpoints; `max` at most. */
  countWaiting(pool: pg.Pool, projectId: string, max: number): Promise<number>;
}

export const deliveriesOfEvents = createSlot<Deliveries>('deliveriesOfEvents');
