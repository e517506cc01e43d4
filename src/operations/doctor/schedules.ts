import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { compareSchedules } from '../recurring-schedules';
import type { TaskQueues } from '../../temporal/names';
import { ok, problem, type Finding } from './check';

const LISTED = 10;

/** Temporal Schedules are copies of rows; what differs for longer than a minute is not being repaired. */
export async function checkSchedules(deps: {
  pool: pg.Pool;
  client: Client;
  queues: TaskQueues;
}): Promise<Finding> {
  const { compared, different, orphans } = await compareSchedules(deps);
  const list = [
    ...different.map(({ id, fields }) => `${id}: ${fields.join(', ')}`),
    ...orphans.map((id) => `${id}: has no row`),
  ];
  if (list.length === 0) return ok('schedules', `${compared} compared with their rows`);
  const more = list.length > LISTED ? `; and ${list.length - LISTED} more` : '';
  return problem(
    'schedules',
    `differ from their rows: ${list.slice(0, LISTED).join('; ')}${more}`,
    'A running worker repairs them within a minute. "herald recurring sync" does it now.',
  );
}
