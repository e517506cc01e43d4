import { advanceEnrolment } from '../../../src/domains/drip/advance';
import { advanceTicket } from '../../../src/domains/helpdesk/advance';
import { PlatformError } from '../../../src/domains/bots';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { drips, send } from '../drip/fixture';
import { subscribePerson, type Person } from '../messages/fixture';

/** What a request changes while a messenger is being called is due at once, whatever the work has read before the call. */
let service: TestService;
let project: TestProject;
let person: Person;
beforeAll(async () => {
  // Its own, with no worker: the test is the worker.
  service = await startTestService({ roles: 'api,bots' });
});
beforeEach(async () => {
  project = await service.createProject({ plan: 'basic' });
  person = await subscribePerson(service, project);
});
afterAll(() => service?.stop());

/** Messengers whose only call does this. */
function calling(call: () => Promise<{ messageId: string }>) {
  const { core } = service.service;
  const messenger = { bot: 'telegram', send: call, isMediaReady: () => Promise.resolve(true) };
  return { ...core, messengers: { ...core.messengers, reaching: () => Promise.resolve(messenger as never) } };
}

async function isDue(kind: string, id: string): Promise<boolean> {
  const { rows } = await service.pool.query<{ is_due: boolean }>(
    'SELECT due_at <= clock_timestamp() AS is_due FROM agenda WHERE kind = $1 AND id = $2',
    [kind, id],
  );
  return rows[0]?.is_due ?? false;
}

test('a ticket that is opened and closed again while its customer is asked for a rating asks for another one', async () => {
  const call = (method: 'PATCH' | 'POST', path: string, body: object) =>
    project.api(method, `/v1/helpdesk${path}`, body);
  await call('PATCH', '', { enabled: true });
  const created = await call('POST', '/tickets', { subscriber_id: person.subscriberId, text: 'Hello' });
  const id: string = created.body.ticket_id;
  await call('POST', `/tickets/${id}/messages`, { content: { text: 'Done' } });
  await call('PATCH', `/tickets/${id}`, { status: 'closed' });

  let questions = 0;
  const deps = calling(async () => {
    questions += 1;
    if (questions === 1) {
      for (const status of ['in_progress', 'closed']) await call('PATCH', `/tickets/${id}`, { status });
    }
    return { messageId: String(questions) };
  });
  expect(await advanceTicket(deps, id)).toMatchObject({
    status: 'closed',
    waitMs: 0,
    nextAt: expect.any(Date),
  });
  expect(await advanceTicket(deps, id)).toMatchObject({ status: 'closed', nextAt: null });
  expect(questions).toBe(2);
});

test('an enrolment that is moved to another version, or cancelled, while its bot is unavailable does not wait for it', async () => {
  const chains = drips(service, () => project);
  const busy = (change: () => Promise<unknown>) =>
    calling(async () => {
      await change();
      throw new PlatformError('platform_unavailable', 'Bad Gateway', { status: 502 });
    });
  const steps = [send('a'), send('b')];
  const chain = await chains.create({ steps });
  const { enrolment_id: id } = await chains.enrol(chain, person.subscriberId);

  const moving = busy(() =>
    chains.api('PATCH', `/${chain}`, { steps: [...steps, send('c')], migrate: true }),
  );
  expect(await advanceEnrolment(moving, id)).toMatchObject({ status: 'active', waitMs: 0 });
  expect(await isDue('drip', id)).toBe(true);
  expect(
    await advanceEnrolment(
      busy(() => Promise.resolve()),
      id,
    ),
  ).toMatchObject({ waitMs: 30_000 });
  expect(await isDue('drip', id)).toBe(false);
  const cancelling = busy(() => chains.api('DELETE', `/${chain}/enrolments/${id}`));
  expect(await advanceEnrolment(cancelling, id)).toMatchObject({ status: 'cancelled', nextAt: null });
  await eventually(async () => !(await isDue('drip', id)));
});
