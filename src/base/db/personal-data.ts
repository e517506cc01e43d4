import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Channel } from '../contract/common';
import type { Cipher } from '../lib/cipher';
import type { Logger } from '../lib/log';
import type { Db } from './pool';

/*
 * Every room with data of a person exports a `personalData`: what `GET /v1/subscribers/{id}/data` shows of its tables, and
 * how the removal of a subscriber ends their rows. `src/process/roles/domains.ts` registers it with `subscribers`;
 * `test/system/subscribers/personal-data.test.ts` fails for a table that looks personal and is in none of them.
 */

export interface Person {
  /** Of the subscriber. */
  id: string;
  project_id: string;
  channel: Channel;
  platform_user_id: string;
  /** Both public forms of the id. */
  public_ids: string[];
}

/** SQL: a person as the CTE `person`, for `personValues`. */
export const PERSON = `WITH person AS (SELECT $1::uuid AS id, $2::uuid AS project_id, $3::text AS channel,
       $4::text AS platform_user_id, $5::text[] AS public_ids)`;

export function personValues({ id, project_id, channel, platform_user_id, public_ids }: Person): unknown[] {
  return [id, project_id, channel, platform_user_id, public_ids];
}

/** How the rows of a person are read. The table is `t`, the person is `person`. */
export interface Held {
  /** The field of the response: a list, unless it is `single`. */
  as: string;
  single?: true;
  /** SQL: what is shown. Never a hash, a sealed value or an id of another person. */
  columns: string;
  /** SQL: the table, with what it is joined to. */
  from: string;
  where: string;
  /** SQL: the time and the id that a row is sorted by. */
  order: [time: string, id: string];
}

export interface PersonalTable {
  /** Left out where another table shows it. */
  held?: Held;
  /**
   * `erase` ends the rows of a removed person, or a foreign key deletes them with the row of another table, or what deletes
   * that row deletes them as well.
   */
  removal: 'erase' | { with: string } | { alongside: string };
}

export interface RemovedPerson extends Person {
  bot: string | null;
  /** The external_id if no other subscriber of the project has it: only then is what it names about this person alone. */
  own_external_id: string | null;
}

export interface PersonalData {
  tables: Record<string, PersonalTable>;
  /**
   * Erases the next `BATCH_ROWS` rows of what can be many and nothing waits for; returns how many they were. Called over and
   * over again before the removal, so that its transaction is short.
   */
  eraseNext?(pool: pg.Pool, person: Person): Promise<number>;
  /** Runs in the transaction of the removal, before the subscriber's row is deleted. */
  erase?(db: Db, person: RemovedPerson, deps: { cipher: Cipher; client: Client; log: Logger }): Promise<void>;
}
