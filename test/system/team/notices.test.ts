import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { queueFormMessages, queueNotices, queueTicketNotices } from '../../../src/domains/projects';
import { endNotice } from '../../../src/domains/projects/queries/notices';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { field, forms, type CreatedForm } from '../forms/fixture';
import { lastBotMessage } from '../login/fixture';
import { freshName } from '../messages/fixture';
import { inviteAsOperator, join } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());

async function createTeam(size: number): Promise<{ project: TestProject; names: string[] }> {
  const project = await service.createProject({ plan: 'basic' });
  const names = Array.from({ length: size }, () => freshName('member'));
  for (const name of names) {
    await join(service, name, await inviteAsOperator(service, project, 'support'));
  }
  return { project, names };
}

const formsOf = (project: TestProject) =>
  forms(
    () => service,
    () => project,
  );

const toMembers = (...texts: string[]) =>
  texts.map((text) => ({ action: 'message', to: 'members', content: { text } }));

/** Submits, and waits until the routes have run. */
async function submitTo(project: TestProject, form: CreatedForm, routes: number): Promise<void> {
  const { submit, routesOf } = formsOf(project);
  const { submission_id } = (await (await submit(form, { size: 'M' })).json()) as { submission_id: string };
  await routesOf(submission_id, routes);
}

async function waitingOf(project: TestProject): Promise<{ answers: number | null }[]> {
  const { rows } = await service.pool.query<{ answers: number | null }>(
    `SELECT answers FROM member_notices n JOIN members m ON m.id = n.member_id WHERE m.project_id = $1 ORDER BY n.id`,
    [project.id],
  );
  return rows;
}

const textsOf = async (name: string) => {
  const { messages } = await service.control.chat('telegram', name);
  return messages.filter(({ from }) => from === 'bot').map(({ text }) => text);
};

test('a project’s notice does not wait for those of a project whose form was flooded and whose chats are slow', async () => {
  const flooded = await createTeam(3);
  const own = await createTeam(1);
  const routes = toMembers(...Array.from({ length: 40 }, (_, n) => `Route ${n}`));
  const form = await formsOf(flooded.project).create({ fields: [field('size')], routes });
  const ownForm = await formsOf(own.project).create({ routes: toMembers('New order') });
  try {
    for (const user of flooded.names) {
      const fault = { method: 'sendMessage', delay_ms: 8_000, times: 1_000, user };
      await service.control.faults('telegram', fault);
    }
    for (let count = 0; count < 3; count += 1) await submitTo(flooded.project, form, 40);
    await submitTo(own.project, ownForm, 1);
    await eventually(async () => (await textsOf(own.names[0]!)).includes('New order'));
    expect((await waitingOf(flooded.project)).length).toBeGreaterThan(0);
    // What waits is bounded by the routes of one submission for each member, and one notice about the others.
    expect((await waitingOf(flooded.project)).length).toBeLessThanOrEqual(3 * 41);
  } finally {
    await service.control.faults('telegram', { clear: true });
    await service.pool.query(
      'DELETE FROM member_notices WHERE member_id IN (SELECT id FROM members WHERE project_id = $1)',
      [flooded.project.id],
    );
  }
});

test('the messages of one submission come to a member one after another, in the order of its routes', async () => {
  const { project, names } = await createTeam(1);
  const form = await formsOf(project).create({ routes: toMembers('one', 'two', 'three') });
  await submitTo(project, form, 3);
  await eventually(async () => (await textsOf(names[0]!)).slice(-3).join() === 'one,two,three');
});

test('notices about many submissions of a form that wait become one that counts them', async () => {
  const { project, names } = await createTeam(1);
  const olga = freshName('olga');
  const start = await inviteAsOperator(service, project, 'support');
  await service.control.open('telegram', olga, { start, first_name: olga, language_code: 'ru' });
  await eventually(async () => (await lastBotMessage(service, 'telegram', olga))?.buttons.length);
  await service.control.tap('telegram', olga, { button: 'Да' });
  await eventually(async () => (await lastBotMessage(service, 'telegram', olga))?.edited);

  const members = [...names, olga];
  const form = await formsOf(project).create({
    name: 'Orders',
    title_en: 'Orders',
    routes: toMembers('New order', 'Check the stock'),
  });
  const held = { method: 'sendMessage', status: 503, times: 1_000 };
  for (const user of members) await service.control.faults('telegram', { ...held, user });
  for (let count = 0; count < 13; count += 1) await submitTo(project, form, 2);
  // The first message of the first submission stays as it is.
  expect(await waitingOf(project)).toEqual([
    { answers: null },
    { answers: null },
    { answers: 13 },
    { answers: 13 },
  ]);
  await service.control.faults('telegram', { clear: true });
  await service.pool.query(
    `WITH due AS (UPDATE member_notices SET send_at = now()
       WHERE member_id IN (SELECT id FROM members WHERE project_id = $1) RETURNING member_id)
     UPDATE agenda SET due_at = now() WHERE kind = 'member_notices' AND id IN (SELECT member_id FROM due)`,
    [project.id],
  );
  const name = project.name;
  await eventually(async () => {
    expect((await textsOf(names[0]!)).slice(-2)).toEqual([
      'New order',
      `${name}: 13 new answers to “Orders”`,
    ]);
    const russian = (await textsOf(olga)).slice(-2);
    expect(russian).toEqual(['New order', `«${name}»: 13 новых ответов в форме «Orders»`]);
    return true;
  });
  const [notice] = (await service.control.chat('telegram', olga)).messages.slice(-1);
  expect(notice?.buttons.flat()[0]?.url).toBe(`${service.url}/dashboard/forms/${form.form_id}`);
  await eventually(async () => (await waitingOf(project)).length === 0);
});

describe('in one transaction', () => {
  let project: TestProject;
  let db: pg.PoolClient;
  let memberId: string;
  beforeEach(async () => {
    ({ project } = await createTeam(1));
    db = await service.pool.connect();
    await db.query('BEGIN');
    const found = await db.query<{ id: string }>(
      `UPDATE members SET notify = 'all' WHERE project_id = $1 RETURNING id`,
      [project.id],
    );
    memberId = found.rows[0]!.id;
  });
  afterEach(async () => {
    await db.query('ROLLBACK');
    db.release();
  });

  const answers = async () =>
    (
      await db.query<{ answers: number | null }>(
        'SELECT answers FROM member_notices WHERE member_id = $1 ORDER BY id',
        [memberId],
      )
    ).rows.map((each) => each.answers);
  const formId = randomUUID();
  const messageOf = (submissionId: string, isFirst = true) =>
    queueFormMessages(db, {
      projectId: project.id,
      formId,
      formName: 'Orders',
      submissionId,
      routeId: randomUUID(),
      isFirst,
      messages: [{ memberId, message: { text: 'Order' } }],
    });

  test('only a hundred notices that strangers have caused wait for a member; further answers are counted', async () => {
    const queueTicket = () => queueTicketNotices(db, project.id, randomUUID(), { assigneeId: null });
    for (let count = 0; count < 100; count += 1) expect(await queueTicket()).toBe(1);
    expect(await queueTicket()).toBe(0);
    await messageOf(randomUUID());
    await messageOf(randomUUID());
    expect((await answers()).filter((count) => count !== null)).toEqual([2]);
    expect(await queueNotices(db, project.id, randomUUID())).toBe(1);
  });

  test('a submission is counted once, whatever its routes, and those that come during the call to the messenger stay', async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    await messageOf(one);
    await messageOf(one, false);
    expect(await answers()).toEqual([null, null]);
    await messageOf(two);
    expect(await answers()).toEqual([null, 2]);
    await messageOf(two, false);
    await messageOf(three);
    await messageOf(three, false);
    expect(await answers()).toEqual([null, 3]);
    const { rows } = await db.query<{ id: number }>(
      'SELECT id FROM member_notices WHERE member_id = $1 AND answers IS NOT NULL',
      [memberId],
    );
    await endNotice(db, { id: rows[0]!.id, answers: 2 });
    expect(await answers()).toEqual([null, 1]);
    await endNotice(db, { id: rows[0]!.id, answers: 1 });
    expect(await answers()).toEqual([null]);
  });
});
