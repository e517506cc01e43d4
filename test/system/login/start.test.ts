import { findOpenSession } from '../../../src/domains/login/queries/starts';
import { eventually } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { createSession } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

/** How many executions Temporal has of each session's workflow, running or ended. */
async function executionsOf(ids: string[]): Promise<number[]> {
  const found: string[] = [];
  const query = `WorkflowId IN (${ids.map((id) => `'auth/${id}'`).join(', ')})`;
  for await (const { workflowId } of service.client.workflow.list({ query })) found.push(workflowId);
  return ids.map((id) => found.filter((workflowId) => workflowId === `auth/${id}`).length);
}

async function startsOf(ids: string[]): Promise<(Date | null)[]> {
  const { rows } = await service.pool.query<{ id: string; workflow_started_at: Date | null }>(
    'SELECT id, workflow_started_at FROM auth_sessions WHERE id = ANY ($1)',
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.workflow_started_at ?? null);
}

test('the API starts each workflow, once; the relay starts only what did not start', async () => {
  const project = await service.createProject();
  const sessions = await Promise.all(Array.from({ length: 20 }, () => createSession(project)));
  const ids = sessions.map(({ session_id }) => session_id);
  const starts = await eventually(async () => {
    const all = await startsOf(ids);
    return all.includes(null) ? undefined : all;
  });

  // As a process leaves it that dies between the commit and the start.
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO auth_sessions (project_id, flow, expires_at, start_leased_until)
     VALUES ($1, 'session', now() + interval '30 minutes', now()) RETURNING id`,
    [project.id],
  );
  const lost = rows[0]?.id ?? '';
  // Their leases are over, too: only the start itself keeps the relay from them.
  await service.pool.query('UPDATE auth_sessions SET start_leased_until = now() WHERE id = ANY ($1)', [ids]);
  await eventually(async () => (await startsOf([lost]))[0] !== null);
  expect(await startsOf(ids)).toEqual(starts);
  await eventually(async () => {
    expect(await executionsOf([lost, ...ids])).toEqual([1, ...ids.map(() => 1)]);
    return true;
  });
});

test('a session that is started again waits for its end only if it has no answer', async () => {
  const project = await service.createProject();
  const { session_id: id } = await createSession(project);
  expect((await findOpenSession(service.pool, id))?.wait_ms).toBeGreaterThan(1_700_000);
  await service.pool.query(
    `INSERT INTO auth_answers (update_id, session_id, answer, first_name, received_at, prompt_id) VALUES (-1, $1, 'yes', 'Anna', now(), -1)`,
    [id],
  );
  expect((await findOpenSession(service.pool, id))?.wait_ms).toBe(0);
});
