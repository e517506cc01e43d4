import { randomUUID } from 'node:crypto';
import { workflowIds } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { field, forms } from '../forms/fixture';
import { eventsOf, subscribePerson } from '../messages/fixture';
import { recordHistory } from '../replay/fixture';
import { ageTicket, hasEntry } from './fixture';

let service: Installation;
let project: TestProject;
const form = forms(
  () => service,
  () => project,
);
beforeAll(async () => {
  service = await useService();
});
beforeEach(async () => {
  project = await service.createProject({ plan: 'basic' });
  await call('PATCH', '', { enabled: true });
});
afterAll(() => service?.stop());

const call = (method: string, path: string, body?: object) =>
  project.api(method as 'GET', `/v1/helpdesk${path}`, body);
const create = async (body: object): Promise<string> =>
  (await call('POST', '/tickets', { text: 'Hello', ...body })).body.ticket_id;
const statusOf = async (id: string) => (await call('GET', `/tickets/${id}`)).body.status;
const workflowOf = (id: string) => service.client.workflow.getHandle(workflowIds.ticket(id));
const stateOf = async (id: string) => (await workflowOf(id).describe()).status.name;
const isRunning = (id: string) => eventually(async () => (await stateOf(id)) === 'RUNNING');

test('the workflow of a ticket runs only while something is due, and every change starts it again', async () => {
  const person = await subscribePerson(service, project);
  const id = await create({ subscriber_id: person.subscriberId });
  await isRunning(id);
  await call('POST', `/tickets/${id}/messages`, { content: { text: 'Which size?' } });
  await workflowOf(id).result();
  await recordHistory(workflowOf(id), 'ticket', 'answered');
  expect(await statusOf(id)).toBe('waiting');
  await eventually(async () => !(await hasEntry(service, id)));
  await service.control.say('telegram', person.name, 'The large one');
  await eventually(async () => (await statusOf(id)) === 'in_progress');
  await isRunning(id);
});

test('a workflow that was terminated while something was due is started again', async () => {
  const id = await create({ customer: { name: 'Ann' } });
  await isRunning(id);
  // The workflow has reported when it is due next.
  await eventually(async () => {
    const { rowCount } = await service.pool.query(
      `SELECT 1 FROM agenda WHERE kind = 'ticket' AND id = $1 AND due_at > now() + interval '1 hour'`,
      [id],
    );
    return rowCount;
  });
  await workflowOf(id).terminate();
  await ageTicket(service, id, 'waiting_since', 2);
  await eventually(async () => (await eventsOf(service, project, 'ticket.unanswered_24h')).length === 1);
});

test('the entry of a removed ticket starts no workflow, and is removed', async () => {
  const id = randomUUID();
  await service.pool.query(
    `INSERT INTO agenda (kind, id, project_id, due_at) VALUES ('ticket', $1, $2, now())`,
    [id, project.id],
  );
  await eventually(async () => !(await hasEntry(service, id)));
  await expect(workflowOf(id).describe()).rejects.toThrow('not found');
});

test('a form’s ticket without a subscriber that no member has answered or taken up closes after 30 days', async () => {
  const created = await form.create({
    name: 'Call me',
    fields: [field('phone', { type: 'phone' })],
    routes: Array.from({ length: 3 }, () => ({ action: 'ticket' })),
  });
  await form.submit(created, { phone: '+1 555 010 0199' });
  const events = await eventually(async () => {
    const found = await eventsOf(service, project, 'ticket.created');
    return found.length === 3 ? found : null;
  });
  const [ignored = '', answered = '', takenUp = ''] = events.map(({ data }) => String(data['ticket_id']));
  const byKey = await create({ customer: { name: 'Ann' } });
  await call('POST', `/tickets/${answered}/messages`, { content: { text: 'We will call.' } });
  await call('PATCH', `/tickets/${takenUp}`, { status: 'in_progress' });

  await ageTicket(service, ignored, 'created_at', 29);
  for (const id of [answered, takenUp, byKey]) await ageTicket(service, id, 'created_at', 31);
  await ageTicket(service, ignored, 'waiting_since', 29);
  await eventually(async () => (await eventsOf(service, project, 'ticket.unanswered_24h')).length === 1);
  expect(await statusOf(ignored)).toBe('new');
  // Its only timer is that of its close.
  await eventually(async () => {
    const { rowCount } = await service.pool.query(
      `SELECT 1 FROM agenda WHERE kind = 'ticket' AND id = $1 AND due_at BETWEEN now() + interval '12 hours' AND now() + interval '25 hours'`,
      [ignored],
    );
    return rowCount;
  });
  expect(await stateOf(ignored)).toBe('RUNNING');

  await ageTicket(service, ignored, 'created_at', 1);
  await eventually(async () => (await statusOf(ignored)) === 'closed');
  await workflowOf(ignored).result();
  await eventually(async () => !(await hasEntry(service, ignored)));
  const [closed, ...more] = await eventsOf(service, project, 'ticket.closed');
  expect(closed?.data).toMatchObject({ ticket_id: ignored, by: 'system', first_reply_seconds: null });
  expect(more).toEqual([]);
  expect(await Promise.all([answered, takenUp, byKey].map(statusOf))).toEqual([
    'waiting',
    'in_progress',
    'new',
  ]);
});
