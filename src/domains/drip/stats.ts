import { AppError } from '../../base/contract/errors';
import type { Db } from '../../base/db/pool';
import type { ChainStats } from './contract';
import { findVersion, type ChainRow } from './queries/chains';
import { countEnrolments, countSteps } from './queries/steps';

/** Counted from the rows, so that they are right after any crash. */
export async function statsOf(db: Db, chain: ChainRow, version: number | undefined): Promise<ChainStats> {
  if (version !== undefined && version > chain.version) {
    throw new AppError('not_found', `version: the chain has no version ${version}`);
  }
  // The steps of an earlier version are gone with its last enrolment.
  const steps = version === undefined ? chain.steps : ((await findVersion(db, chain.id, version)) ?? []);
  const only = version ?? null;
  const [enrolments, counts] = await Promise.all([
    countEnrolments(db, chain.id, only),
    countSteps(db, chain.id, only),
  ]);
  const of = (status: string) => enrolments.find((each) => each.status === status)?.count ?? 0;
  const none = { reached: 0, sent: 0, failed: 0, skipped: 0 };
  return {
    enrolled: enrolments.reduce((sum, { count }) => sum + count, 0),
    active: of('active'),
    completed: of('completed'),
    exited: of('exited'),
    cancelled: of('cancelled'),
    steps: steps.map(({ id }) => ({
      step_id: id,
      ...none,
      ...counts.find(({ step_id }) => step_id === id),
    })),
  };
}
