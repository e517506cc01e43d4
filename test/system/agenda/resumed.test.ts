import { randomUUID } from 'node:crypto';
import { batchKind, PARKED, scheduleAt } from '../../../src/base/agenda';
import { updateProject } from '../../../src/domains/projects/queries/projects';
import { resumedProjects } from '../../../src/domains/projects/resume';
import { eventually } from '../../support/eventually';
import { agendaFixture, type AgendaFixture } from './fixture';

let fixture: AgendaFixture;
beforeAll(async () => {
  fixture = await agendaFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture?.stop());

/** An inactive project in which this many entries wait. */
async function parkedProject(entries: number): Promise<string> {
  const { pool } = fixture.database;
  const slug = randomUUID();
  const { rows } = await pool.query<{ id: string }>(
    'INSERT INTO projects (slug, name, active) VALUES ($1, $1, false) RETURNING id',
    [slug],
  );
  const { id } = rows[0]!;
  const parked = { project_id: id, at: PARKED } as const;
  await scheduleAt(
    pool,
    'rows',
    Array.from({ length: entries }, () => ({ id: randomUUID(), ...parked })),
  );
  return id;
}

async function parkedOf(project: string): Promise<number> {
  const { rows } = await fixture.database.pool.query(
    `SELECT 1 FROM agenda WHERE project_id = $1 AND due_at = '${PARKED}'`,
    [project],
  );
  return rows.length;
}

const isResumed = async (project: string) =>
  !(await fixture.entries('resumed_projects')).some(({ id }) => id === project);

test('everything that waited for a project is due when it is active, a thousand in a transaction', async () => {
  const { pool } = fixture.database;
  const project = await parkedProject(2_500);
  await updateProject(pool, project, { active: true });
  expect(await parkedOf(project)).toBe(2_500);
  const { nextBatch } = resumedProjects(pool);
  // The process dies after its first batch; another one goes on.
  await nextBatch({ id: project, project_id: project });
  expect(await parkedOf(project)).toBe(1_500);
  fixture.start(batchKind(resumedProjects(pool)));
  await eventually(() => isResumed(project));
  expect(await parkedOf(project)).toBe(0);
  expect(await fixture.entries('rows')).toHaveLength(2_500);
});

test('a project that is inactive again keeps what waits, until it is active once more', async () => {
  const { pool } = fixture.database;
  const project = await parkedProject(1_200);
  for (const active of [true, false]) await updateProject(pool, project, { active });
  fixture.start(batchKind(resumedProjects(pool)));
  await eventually(() => isResumed(project));
  expect(await parkedOf(project)).toBe(1_200);
  await updateProject(pool, project, { active: true });
  await eventually(async () => (await parkedOf(project)) === 0);
});
