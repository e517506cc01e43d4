import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { eventsOf, subscribePerson, textsTo, type Person } from '../system/messages/fixture';

jest.setTimeout(240_000);

const env = {
  HERALD_FORM_SUBMISSIONS_PER_ADDRESS_PER_MINUTE: '1000',
  HERALD_FORM_SUBMISSIONS_PER_MINUTE: '1000',
};
const PEOPLE = 6;

let service: TestService;
let project: TestProject;
let worker: HeraldProcess | undefined;

beforeAll(async () => {
  // Its own: its workers are processes that are killed.
  service = await startTestService({ roles: 'api,bots', env });
  project = await service.createProject();
});
afterAll(async () => {
  await worker?.kill9();
  await service?.stop();
});

test('kill -9 of the worker between the routes of submissions: each route runs once, no event is missing', async () => {
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n += 1) people.push(await subscribePerson(service, project));
  const { body: form } = await project.api('POST', '/v1/forms', {
    name: 'Order',
    fields: [{ key: 'size', type: 'text', label_en: 'Size' }],
    routes: [
      { action: 'event', name: 'first' },
      { action: 'message', to: 'submitter', content: { text: 'one' } },
      { action: 'tag', tag: 'ordered' },
      { action: 'message', to: 'submitter', content: { text: 'two' } },
      { action: 'event', name: 'last' },
    ],
  });
  // Slow enough that a kill meets calls under way; they take effect all the same.
  await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 1_000, times: 100_000 });
  for (const { subscriberId } of people) {
    const link = await project.api('GET', `/v1/forms/${form.form_id}/link?subscriber_id=${subscriberId}`);
    const sent = await fetch(link.body.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
      body: 'size=M',
    });
    expect(sent.status).toBe(303);
  }
  const ended = async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM submission_routes r JOIN form_submissions s ON s.id = r.submission_id
       WHERE s.project_id = $1 AND r.status = 'done'`,
      [project.id],
    );
    return rows[0]?.count ?? 0;
  };
  for (const least of [PEOPLE / 2, 2 * PEOPLE]) {
    worker = await startSecondProcess(service, 'worker', env);
    await eventually(async () => (await ended()) >= least, 60_000);
    await worker.kill9();
  }
  worker = await startSecondProcess(service, 'worker', env);
  await eventually(async () => (await ended()) === 5 * PEOPLE, 120_000);

  expect(await eventsOf(service, project, 'form.submitted')).toHaveLength(PEOPLE);
  const tracked = await eventsOf(service, project, 'event.tracked');
  for (const name of ['first', 'last']) {
    expect(tracked.filter(({ data }) => data['name'] === name)).toHaveLength(PEOPLE);
  }
  for (const person of people) {
    const texts = await textsTo(service, person);
    for (const text of ['one', 'two']) {
      // A message that was being sent at a kill may arrive once more, at each of the two kills; none is lost.
      const count = texts.filter((each) => each === text).length;
      expect([1, 2, 3]).toContain(count);
    }
  }
  // Each message has one row and one result, however often its worker died.
  const { rows } = await service.pool.query<{ count: number; sent: number }>(
    `SELECT count(*)::int AS count, count(*) FILTER (WHERE status = 'sent')::int AS sent FROM messages
     WHERE project_id = $1 AND source = 'form'`,
    [project.id],
  );
  expect(rows[0]).toEqual({ count: 2 * PEOPLE, sent: 2 * PEOPLE });
});
