import { WorkflowClient } from '@temporalio/client';
import { claimUnstartedSessions, findOpenSession } from '../../../src/login/queries/starts';
import { eventually } from '../../support/eventually';
import { startTestService, type TestService } from '../../support/service';
import { createSession } from './fixture';

let service: TestService;
afterEach(() => service.stop());

async function lease(sessionIds: string[], seconds: number): Promise<void> {
  await service.pool.query(
    `UPDATE auth_sessions SET start_leased_until = clock_timestamp() + make_interval(secs => $2) WHERE id = ANY ($1)`,
    [sessionIds, seconds],
  );
}
const endLease = (sessionIds: string[]) => lease(sessionIds, -1);

test('the API starts each workflow, once; the relay starts only what did not start', async () => {
  const starts = jest.spyOn(WorkflowClient.prototype, 'start');
  /** How often Temporal has taken the start. One that it does not take within a second is the relay's to repeat. */
  const startsOf = async (ids: string[]) => {
    const outcomes = await Promise.allSettled(starts.mock.results.map(({ value }) => value as unknown));
    const taken = starts.mock.calls.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    return ids.map((id) => taken.filter(([, options]) => options.workflowId === `auth/${id}`).length);
  };
  service = await startTestService();
  const project = await service.createProject();
  const sessions = await Promise.all(Array.from({ length: 20 }, () => createSession(project)));
  const ids = sessions.map(({ session_id }) => session_id);
  await eventually(async () => {
    const { rows } = await service.pool.query(
      'SELECT 1 FROM auth_sessions WHERE workflow_started_at IS NULL',
    );
    return rows.length === 0;
  });
  expect(await startsOf(ids)).toEqual(ids.map(() => 1));

  // As after a process that died between the commit and the start.
  const [lost = ''] = ids;
  await service.pool.query('UPDATE auth_sessions SET workflow_started_at = NULL WHERE id = $1', [lost]);
  await endLease(ids);
  await eventually(async () => (await startsOf([lost]))[0] === 2);
  expect(await startsOf(ids.slice(1))).toEqual(ids.slice(1).map(() => 1));
  starts.mockRestore();
});

test('the relay leaves a new session alone for five seconds, whether or not it was started', async () => {
  service = await startTestService({ roles: 'api', temporalAddress: '127.0.0.1:9' });
  const project = await service.createProject();
  const { session_id: id } = await createSession(project);
  const { rows } = await service.pool.query<{ lease: number; started: boolean }>(
    `SELECT extract(epoch FROM start_leased_until - created_at)::float8 AS lease, workflow_started_at IS NOT NULL AS started
     FROM auth_sessions WHERE id = $1`,
    [id],
  );
  expect(rows[0]?.started).toBe(false);
  expect(rows[0]?.lease).toBeCloseTo(5, 0);
  // As at its beginning, however long the test has taken.
  await lease([id], 60);
  expect(await claimUnstartedSessions(service.pool, 10)).toEqual([]);

  await endLease([id]);
  const claimed = await claimUnstartedSessions(service.pool, 10);
  expect(claimed).toEqual([
    {
      id,
      project_id: project.id,
      project_slug: project.slug,
      flow: 'session',
      cancelled: false,
      wait_ms: expect.any(Number) as number,
    },
  ]);
  expect(await claimUnstartedSessions(service.pool, 10)).toEqual([]);
});

test('a session that is started again waits for its end only if it has no answer', async () => {
  service = await startTestService({ roles: 'api' });
  const project = await service.createProject();
  const { session_id: id } = await createSession(project);
  expect((await findOpenSession(service.pool, id))?.wait_ms).toBeGreaterThan(1_700_000);
  await service.pool.query(
    `INSERT INTO auth_answers (update_id, session_id, answer, first_name, received_at) VALUES (1, $1, 'yes', 'Anna', now())`,
    [id],
  );
  expect((await findOpenSession(service.pool, id))?.wait_ms).toBe(0);
});
