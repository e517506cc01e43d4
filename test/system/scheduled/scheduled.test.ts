import { randomUUID } from 'node:crypto';
import { markCancelling } from '../../../src/domains/broadcasts/queries/broadcasts';
import { workflowIds } from '../../../src/base/temporal/names';
import { thenDue } from '../../support/agenda';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import {
  blockBilling,
  blockBot,
  eventsOf,
  subscribePerson,
  textsTo,
  untilBroadcast,
  type Person,
} from '../messages/fixture';
import { recordHistory } from '../replay/fixture';

const HOUR = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
/** The wall clock of UTC, without an offset. */
const local = (ms: number) => inMs(ms).slice(0, 19);

describe('a scheduled message', () => {
  let service: Installation;
  let project: TestProject;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterAll(() => service.stop());

  const schedule = (body: object) =>
    project.api('POST', '/v1/scheduled', { content: { text: 'hello' }, scheduled_at: inMs(HOUR), ...body });

  async function scheduled(body: object): Promise<string> {
    const { status, body: created } = await schedule(body);
    expect([status, created]).toEqual([201, expect.anything()]);
    return created.scheduled_id;
  }

  const until = (id: string, status: string) =>
    eventually(async () => {
      const { body } = await project.api('GET', `/v1/scheduled/${id}`);
      if (body.status !== status) throw new Error(`it is ${JSON.stringify(body)}`);
      return body;
    });

  /** As if the time had come so long ago, with nobody at work. */
  async function comeDue(id: string, agoMs: number): Promise<void> {
    const at = new Date(Date.now() - agoMs);
    await service.pool.query(
      thenDue(
        'scheduled',
        `UPDATE scheduled SET scheduled_at = $2, timezone = NULL, next_at = $3, revision = revision + 1
         WHERE id = $1 AND status = 'scheduled'`,
      ),
      [id, at.toISOString(), at],
    );
  }

  /** The agenda wakes the workflow, as it does when its entry is overdue. */
  const lookAgain = (id: string) =>
    service.pool.query(
      `UPDATE agenda SET due_at = now(), revision = revision + 1 WHERE kind = 'scheduled' AND id = $1`,
      [id],
    );

  /** Scheduled far ahead, and due at once. */
  async function dueNow(body: object): Promise<string> {
    const id = await scheduled(body);
    await comeDue(id, 0);
    return id;
  }

  const handleOf = (id: string) => service.client.workflow.getHandle(workflowIds.scheduled(id));
  const ended = (id: string) =>
    eventually(async () => {
      const described = await handleOf(id).describe();
      return described.status.name === 'COMPLETED' ? described : null;
    });

  it('is sent at its time, once, with its event; its workflow shows what it waits for', async () => {
    const anna = await subscribePerson(service, project, 'telegram', { first_name: 'Anna' });
    await project.api('POST', '/v1/templates', {
      key: 'hi',
      variants: { en: { text: 'Hi {{first_name}}' } },
    });
    const at = inMs(HOUR);
    const created = await schedule({
      name: 'Greeting',
      content: { template: 'hi' },
      subscriber_id: anna.subscriberId,
      // Some clients write microseconds.
      scheduled_at: at.replace('Z', '000Z'),
    });
    expect([created.status, created.body]).toEqual([
      201,
      {
        scheduled_id: expect.any(String),
        name: 'Greeting',
        content: { template: 'hi' },
        subscriber_id: anna.subscriberId,
        external_id: null,
        audience: null,
        channels: null,
        permission: null,
        scheduled_at: at.replace('Z', '+00:00'),
        timezone: null,
        status: 'scheduled',
        reason: null,
        next_at: at.replace('Z', '+00:00'),
        job_id: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        ended_at: null,
      },
    ]);
    const id = created.body.scheduled_id;
    expectError(await project.api('DELETE', '/v1/templates/hi'), 'conflict', /scheduled/);
    const broken = { variants: { en: { text: '{{order}}' } } };
    expectError(
      await project.api('PUT', '/v1/templates/hi', broken),
      'template_variable_missing',
      'variants: a scheduled message uses this template without a value for order',
    );
    // The template of the moment is sent.
    await project.api('PUT', '/v1/templates/hi', { variants: { en: { text: 'Hello {{first_name}}' } } });
    // Soon, however long the requests before have taken.
    await eventually(async () => {
      const { status } = await project.api('PATCH', `/v1/scheduled/${id}`, { scheduled_at: inMs(1_500) });
      return status === 200;
    });

    expect(await until(id, 'sent')).toMatchObject({ next_at: null, ended_at: expect.any(String) });
    expect((await textsTo(service, anna)).filter((text) => text === 'Hello Anna')).toHaveLength(1);
    const [event, ...others] = await eventsOf(service, project, 'scheduled.sent');
    expect(others).toEqual([]);
    const [success] = await eventsOf(service, project, 'delivery.success');
    expect(event?.data).toMatchObject({
      scheduled_id: id,
      name: 'Greeting',
      subscriber_id: anna.subscriberId,
      channel: 'telegram',
      delivery_id: success?.data['delivery_id'],
      job_id: null,
    });
    const workflow = await ended(id);
    const shown = workflow.typedSearchAttributes.getAll().map(({ value }) => value);
    expect(shown).toEqual(expect.arrayContaining([project.id, 'sent']));
    await recordHistory(handleOf(id), 'scheduled', 'slept-and-sent');
    expectError(await project.api('DELETE', `/v1/scheduled/${id}`), 'conflict', /sent/);
    for (const body of [{ name: 'x' }, { content: { template: 'nothing' } }]) {
      expectError(await project.api('PATCH', `/v1/scheduled/${id}`, body), 'conflict');
    }
    expect((await project.api('DELETE', '/v1/templates/hi')).status).toBe(204);
  });

  it('that is changed during its sleep is sent as changed', async () => {
    const anna = await subscribePerson(service, project);
    const id = await scheduled({ subscriber_id: anna.subscriberId });
    await eventually(() => handleOf(id).describe());
    const at = inMs(HOUR / 2);
    const changed = await project.api('PATCH', `/v1/scheduled/${id}`, {
      content: { text: 'sooner' },
      scheduled_at: at,
    });
    expect(changed.body).toMatchObject({ content: { text: 'sooner' }, status: 'scheduled' });
    // The change wakes the workflow, which then sleeps until the new time.
    await eventually(async () => {
      const { typedSearchAttributes } = await handleOf(id).describe();
      expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContainEqual(new Date(at));
      return true;
    });
    await comeDue(id, 0);
    await until(id, 'sent');
    expect((await textsTo(service, anna)).slice(-1)).toEqual(['sooner']);
    await ended(id);
    const list = await project.api('GET', `/v1/scheduled?status=sent&subscriber_id=${anna.subscriberId}`);
    expect(list.body.data.map(({ scheduled_id }: { scheduled_id: string }) => scheduled_id)).toEqual([id]);
  });

  it('that is cancelled is not sent, and its workflow ends', async () => {
    const anna = await subscribePerson(service, project);
    const id = await scheduled({ subscriber_id: anna.subscriberId });
    await eventually(() => handleOf(id).describe());
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await project.api('DELETE', `/v1/scheduled/${id}`);
      expect([status, body.status]).toEqual([200, 'cancelled']);
    }
    await ended(id);
    expect(await eventsOf(service, project, 'scheduled.sent', 'scheduled.skipped')).toEqual([]);
  });

  it.each<[object, string, RegExp | undefined]>([
    [{}, 'validation_failed', /^subscriber_id: /],
    [{ external_id: 'a', audience: {} }, 'validation_failed', /^subscriber_id: /],
    [{ external_id: 'a', subscriber_id: 'b' }, 'mutually_exclusive_identifiers', undefined],
    [{ subscriber_id: randomUUID() }, 'subscriber_not_found', undefined],
    [{ external_id: 'a', scheduled_at: inMs(-1000) }, 'validation_failed', /^scheduled_at: is in the past/],
    [{ external_id: 'a', scheduled_at: inMs(367 * 24 * HOUR) }, 'validation_failed', /^scheduled_at: /],
    [{ external_id: 'a', scheduled_at: '2027-02-30T09:00' }, 'validation_failed', /^scheduled_at: must/],
    [{ external_id: 'a', timezone: 'UTC' }, 'validation_failed', /^timezone: /],
    [{ external_id: 'a', timezone: 'Moon', scheduled_at: local(HOUR) }, 'validation_failed', /^timezone: /],
    [
      { external_id: 'a', timezone: 'recipient', scheduled_at: local(-13 * HOUR) },
      'validation_failed',
      /^scheduled_at: is in the past/,
    ],
    [{ audience: {}, permission: 'news' }, 'validation_failed', /^permission: /],
    [{ audience: {}, channels: ['max'] }, 'validation_failed', /^channels: /],
    [{ external_id: 'a', content: { text: 'x', template: 'y' } }, 'validation_failed', /^content\.text: /],
    [{ external_id: 'a', content: { template: 'nothing' } }, 'not_found', undefined],
  ])('is refused with its reason: %j', async (body, code, error) => {
    expectError(await schedule(body), code as never, error);
  });

  it("without a zone of its own takes the project's, as it is at the request", async () => {
    await project.api('PATCH', '/v1/project', { timezone: 'Asia/Tokyo' });
    const { body } = await schedule({ external_id: 'a', scheduled_at: local(24 * HOUR) });
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo' });
    expect(Math.abs(Date.parse(body.next_at) - Date.now() - 15 * HOUR)).toBeLessThan(60_000);
    const moment = await scheduled({ external_id: 'a' });
    await project.api('PATCH', '/v1/project', { timezone: 'Etc/GMT+2' });
    const moved = await project.api('PATCH', `/v1/scheduled/${moment}`, { scheduled_at: local(24 * HOUR) });
    expect(moved.body).toMatchObject({ timezone: 'Etc/GMT+2' });
    expect(Math.abs(Date.parse(moved.body.next_at) - Date.now() - 26 * HOUR)).toBeLessThan(60_000);
  });

  it('keeps the kind of its recipient', async () => {
    const id = await scheduled({ external_id: 'a' });
    const change = (body: object) => project.api('PATCH', `/v1/scheduled/${id}`, body);
    expectError(await change({ audience: {} }), 'validation_failed', /^audience: /);
    expectError(await change({ timezone: 'UTC' }), 'validation_failed', /^timezone: /);
    expect((await change({ scheduled_at: local(2 * HOUR), timezone: 'Asia/Tokyo' })).status).toBe(400);
    const moved = await change({ external_id: 'b', scheduled_at: local(24 * HOUR), timezone: 'Asia/Tokyo' });
    expect(moved.body).toMatchObject({ external_id: 'b', timezone: 'Asia/Tokyo' });
    const next = Date.parse(moved.body.next_at) - Date.now();
    expect(Math.abs(next - 15 * HOUR)).toBeLessThan(60_000);
  });

  it('is still sent after a day of outage, but not later; a workflow that is gone is started again', async () => {
    const anna = await subscribePerson(service, project);
    const [late, tooLate] = [
      await scheduled({ subscriber_id: anna.subscriberId, content: { text: 'late' } }),
      await scheduled({ subscriber_id: anna.subscriberId, content: { text: 'too late' } }),
    ];
    await eventually(() => handleOf(late).describe());
    await handleOf(late).terminate();
    await comeDue(late, 23 * HOUR);
    await comeDue(tooLate, 25 * HOUR);
    await until(late, 'sent');
    expect(await until(tooLate, 'skipped')).toMatchObject({ reason: 'too_late' });
    expect((await textsTo(service, anna)).slice(-1)).toEqual(['late']);
    expect(await eventsOf(service, project, 'scheduled.skipped')).toMatchObject([
      { data: { scheduled_id: tooLate, subscriber_id: anna.subscriberId, reason: 'too_late' } },
    ]);
  });

  it('fails or is skipped with its reason', async () => {
    const anna = await subscribePerson(service, project);
    const to = { subscriber_id: anna.subscriberId };
    const unknown = await dueNow({ external_id: 'nobody' });
    const lacking = await dueNow({ ...to, permission: 'news' });
    const empty = await dueNow({ audience: { tags_all: ['none'] } });
    expect(await until(unknown, 'failed')).toMatchObject({ reason: 'subscriber_not_found' });
    expect(await until(lacking, 'skipped')).toMatchObject({ reason: 'permission_missing' });
    expect(await until(empty, 'skipped')).toMatchObject({ reason: 'empty_audience', job_id: null });
    await blockBilling(service, project);
    const unpaid = await dueNow(to);
    expect(await until(unpaid, 'failed')).toMatchObject({ reason: 'billing_blocked' });
    const events = await eventsOf(service, project, 'scheduled.failed', 'scheduled.skipped');
    expect(Object.fromEntries(events.map(({ data }) => [data['scheduled_id'], data['reason']]))).toEqual({
      [unknown]: 'subscriber_not_found',
      [lacking]: 'permission_missing',
      [empty]: 'empty_audience',
      [unpaid]: 'billing_blocked',
    });
  });

  it('reaches every subscriber of an external_id, also of more than a hundred; one sent makes it sent', async () => {
    await service.pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, active, external_id)
       SELECT $1, 'telegram', gen_random_uuid(), n::text, 'Left', 'en', false, 'many' FROM generate_series(1, 120) n`,
      [project.id],
    );
    const anna = await subscribePerson(service, project);
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { external_id: 'many' });
    const content = { text: 'to all of them' };
    const id = await dueNow({ external_id: 'many', content });
    expect(await until(id, 'sent')).toMatchObject({ reason: null });
    expect((await textsTo(service, anna)).filter((text) => text === content.text)).toHaveLength(1);
    expect(await eventsOf(service, project, 'scheduled.sent')).toHaveLength(1);
    const skipped = await eventsOf(service, project, 'scheduled.skipped');
    expect(skipped).toHaveLength(120);
    expect(skipped[0]?.data).toMatchObject({ reason: 'unsubscribed', external_id: 'many', job_id: null });
    // The events of one round share its time.
    const rounds = new Map<unknown, number>();
    for (const { data } of await eventsOf(service, project, 'scheduled.sent', 'scheduled.skipped')) {
      rounds.set(data['occurred_at'], (rounds.get(data['occurred_at']) ?? 0) + 1);
    }
    expect([...rounds.values()]).toEqual([100, 21]);
  });

  it('to an audience becomes one broadcast; cancelling it cancels the entry', async () => {
    const people = [await subscribePerson(service, project), await subscribePerson(service, project, 'max')];
    const id = await dueNow({ audience: {}, content: { text: 'all' } });
    const sent = await until(id, 'sent');
    const job = await untilBroadcast(project, sent.job_id, 'completed');
    expect(job).toMatchObject({ total_subscribers: 2, sent: 2 });
    for (const person of people) expect((await textsTo(service, person)).slice(-1)).toEqual(['all']);
    expect(await eventsOf(service, project, 'broadcast.completed')).toMatchObject([
      { data: { job_id: sent.job_id } },
    ]);
    expect(await eventsOf(service, project, 'scheduled.sent')).toMatchObject([
      { data: { scheduled_id: id, job_id: sent.job_id, subscriber_id: null } },
    ]);

    // Half a day ahead of the other: its message waits in the same job.
    await project.api('PATCH', `/v1/subscribers/${people[1]?.subscriberId}`, { timezone: 'Etc/GMT+11' });
    const own = await scheduled({
      audience: {},
      content: { text: 'local' },
      scheduled_at: local(1_500),
      timezone: 'recipient',
    });
    const sending = await until(own, 'sending');
    await eventually(async () => (await textsTo(service, people[0]!)).includes('local'));
    const running = await eventually(async () => {
      const { body } = await project.api('GET', `/v1/broadcast/${sending.job_id}`);
      return body.sent === 1 && body;
    });
    expect(running).toMatchObject({ status: 'running', remaining: 1 });
    // When the other one's time comes.
    const { body: open } = await project.api('GET', `/v1/scheduled/${own}`);
    expect(Date.parse(open.next_at) - Date.now()).toBeGreaterThan(HOUR);
    expectError(await project.api('DELETE', `/v1/scheduled/${own}`), 'conflict', /sending/);
    expectError(await project.api('PATCH', `/v1/scheduled/${own}`, { name: 'x' }), 'conflict', /sending/);
    await project.api('DELETE', `/v1/broadcast/${sending.job_id}`);
    await until(own, 'cancelled');
    // It does not wait for the other one's time, hours later.
    const workflow = service.client.workflow.getHandle(`broadcast/${sending.job_id}`);
    expect(await workflow.result()).toMatchObject({ status: 'cancelled', sent: 1 });
    // A message of it was sent.
    expectError(await project.api('DELETE', `/v1/scheduled/${own}`), 'conflict', /cancelled/);
    expect(await textsTo(service, people[1]!)).not.toContain('local');
    expect(await eventsOf(service, project, 'scheduled.sent')).toHaveLength(1);
  });

  it('ends for an audience whose broadcast was cancelled by a process that died before it could wake the workflow', async () => {
    const people = [await subscribePerson(service, project), await subscribePerson(service, project, 'max')];
    await project.api('PATCH', `/v1/subscribers/${people[1]?.subscriberId}`, { timezone: 'Etc/GMT+11' });
    const own = await scheduled({ audience: {}, scheduled_at: local(1_500), timezone: 'recipient' });
    const { job_id } = await until(own, 'sending');
    await eventually(async () => (await project.api('GET', `/v1/broadcast/${job_id}`)).body.sent === 1);
    // Its workflow waits for the other one's time, hours later.
    const workflow = service.client.workflow.getHandle(`broadcast/${job_id}`);
    await eventually(async () => (await workflow.describe()).raw.pendingActivities?.length === 0);
    expect(await markCancelling(service.pool, job_id)).toBe(true);
    const { rowCount } = await service.pool.query(
      `UPDATE agenda SET due_at = now() WHERE id = $1 AND due_at <= now() + interval '10 seconds'`,
      [job_id],
    );
    expect(rowCount).toBe(1);
    await until(own, 'cancelled');
  });

  it('to a subscriber who blocked the bot fails; one of several who gets it makes it sent', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    for (const { subscriberId } of [anna, ben]) {
      await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'pair' });
    }
    await blockBot(service, project, ben);
    const pair = await dueNow({ external_id: 'pair' });
    const alone = await dueNow({ subscriber_id: ben.subscriberId });
    expect(await until(pair, 'sent')).toMatchObject({ reason: null });
    expect(await until(alone, 'failed')).toMatchObject({ reason: 'user_blocked_bot' });
    const events = await eventsOf(service, project, 'scheduled.sent', 'scheduled.failed');
    const emitted = events.map(({ name, data }) =>
      [name, data['scheduled_id'], data['subscriber_id']].join(' '),
    );
    expect(emitted.sort()).toEqual(
      [
        `scheduled.failed ${alone} ${ben.subscriberId}`,
        `scheduled.failed ${pair} ${ben.subscriberId}`,
        `scheduled.sent ${pair} ${anna.subscriberId}`,
      ].sort(),
    );
  });

  it('that is cancelled at the very time is either cancelled or sent, never both', async () => {
    const anna = await subscribePerson(service, project);
    // When it is due, while the agenda wakes its workflow, and after the workflow has claimed it.
    const claimed = `status <> 'scheduled'`;
    const woken = `NOT EXISTS (SELECT FROM agenda a WHERE a.id = scheduled.id AND a.due_at <= now() AND a.leased_until IS NULL)`;
    const moments = { a: 'true', b: `(${woken} OR ${claimed})`, c: claimed };
    const entries = await Promise.all(
      Object.entries(moments).map(async ([text, moment]) => {
        const id = await scheduled({ subscriber_id: anna.subscriberId, content: { text } });
        return { id, text, moment };
      }),
    );
    const cancel = async (id: string, moment: string): Promise<boolean> => {
      await eventually(async () => {
        const query = `SELECT 1 FROM scheduled WHERE id = $1 AND ${moment}`;
        return (await service.pool.query(query, [id])).rowCount;
      });
      const { status } = await project.api('DELETE', `/v1/scheduled/${id}`);
      expect([200, 409]).toContain(status);
      return status === 200;
    };
    const expected: string[] = [];
    await Promise.all(
      entries.map(async ({ id, text, moment }) => {
        const due = comeDue(id, 0);
        if (moment !== moments.a) await due;
        const [isCancelled] = await Promise.all([cancel(id, moment), due]);
        await until(id, isCancelled ? 'cancelled' : 'sent');
        if (!isCancelled) expected.push(text);
      }),
    );
    expect(expected).toContain('c');
    const sent = (await textsTo(service, anna)).filter((text) => text.length === 1);
    expect(sent.sort()).toEqual(expected.sort());
    expect(await eventsOf(service, project, 'scheduled.sent')).toHaveLength(expected.length);
  });

  it('reaches each subscriber of an external_id at the local time of each', async () => {
    const [near, far] = [
      await subscribePerson(service, project),
      await subscribePerson(service, project, 'max'),
    ];
    await project.api('PATCH', `/v1/subscribers/${near.subscriberId}`, { external_id: 'pair' });
    const timezone = 'Etc/GMT+5';
    await project.api('PATCH', `/v1/subscribers/${far.subscriberId}`, { external_id: 'pair', timezone });
    const id = await scheduled({
      external_id: 'pair',
      content: { text: 'morning' },
      scheduled_at: local(1_500),
      timezone: 'recipient',
    });
    await eventually(async () => (await eventsOf(service, project, 'scheduled.sent')).length === 1);
    const sending = await until(id, 'sending');
    expect(Math.abs(Date.parse(sending.next_at) - Date.now() - 5 * HOUR)).toBeLessThan(60_000);
    expect((await textsTo(service, near)).slice(-1)).toEqual(['morning']);
    expect(await textsTo(service, far)).not.toContain('morning');
    // The subscriber moves to a zone in which the time has come: the next look takes it, hours before the old time.
    await project.api('PATCH', `/v1/subscribers/${far.subscriberId}`, { timezone: 'UTC' });
    await lookAgain(id);
    await until(id, 'sent');
    expect((await textsTo(service, far)).slice(-1)).toEqual(['morning']);
    expect(await eventsOf(service, project, 'scheduled.sent')).toHaveLength(2);
  });

  /** As a worker leaves it that dies after the messenger has taken the message and before the outcome is recorded. */
  async function sentBeforeCrash(id: string, { subscriberId }: Person): Promise<string> {
    const { rows } = await service.pool.query<{ id: string }>(
      `INSERT INTO messages (project_id, request_id, source, content, subscriber_id, channel, status, ended_at)
       VALUES ($1, $2, 'send', '{"text": "hello", "format": "plain", "buttons": []}', $3, 'telegram', 'sent', now())
       RETURNING id`,
      [project.id, id, subscriberId],
    );
    return rows[0]!.id;
  }

  it('that was sent before a crash is sent, however late and whatever is owed when it is taken up', async () => {
    const anna = await subscribePerson(service, project);
    const before = (await textsTo(service, anna)).length;
    const late = await scheduled({ subscriber_id: anna.subscriberId });
    const owed = await scheduled({ subscriber_id: anna.subscriberId });
    const messages = [await sentBeforeCrash(late, anna), await sentBeforeCrash(owed, anna)];
    await comeDue(late, 25 * HOUR);
    await until(late, 'sent');
    await blockBilling(service, project);
    await comeDue(owed, 0);
    await until(owed, 'sent');
    const events = await eventsOf(
      service,
      project,
      'scheduled.sent',
      'scheduled.failed',
      'scheduled.skipped',
    );
    expect(events.map(({ name, data }) => [name, data['delivery_id']])).toEqual(
      messages.map((message) => ['scheduled.sent', message]),
    );
    expect(await textsTo(service, anna)).toHaveLength(before);
  });

  /** The time has come where `zones` say; the workflow only looks. */
  async function comeDueLocally(id: string, wallClock: string): Promise<void> {
    await service.pool.query(
      thenDue(
        'scheduled',
        `UPDATE scheduled SET scheduled_at = $2, next_at = now() - interval '1 minute', revision = revision + 1
         WHERE id = $1`,
      ),
      [id, wallClock],
    );
  }

  it('to an audience in many zones: who moves to an earlier one is in time, who is a day late is skipped', async () => {
    const [near, far] = [
      await subscribePerson(service, project),
      await subscribePerson(service, project, 'max'),
    ];
    const moveTo = (person: Person, timezone: string) =>
      project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { timezone });
    await moveTo(near, 'Etc/GMT+5');
    await moveTo(far, 'Etc/GMT+6');
    const local5 = { audience: {}, scheduled_at: local(-60_000), timezone: 'recipient' };
    const early = await scheduled({ ...local5, content: { text: 'early' } });
    await eventually(() => handleOf(early).describe());
    await moveTo(near, 'UTC');
    await lookAgain(early);
    const { job_id } = await until(early, 'sending');
    await eventually(async () => (await textsTo(service, near)).includes('early'));
    await project.api('DELETE', `/v1/broadcast/${job_id}`);

    // 14 hours before UTC, and 11 hours after it.
    await moveTo(near, 'Pacific/Kiritimati');
    await moveTo(far, 'Etc/GMT+11');
    // In an hour where the day begins first: it is due nowhere before the test says so.
    const split = await scheduled({ ...local5, scheduled_at: local(15 * HOUR), content: { text: 'split' } });
    await comeDueLocally(split, local(-11 * HOUR - 60_000));
    const sent = await until(split, 'sent');
    expect(await untilBroadcast(project, sent.job_id, 'completed')).toMatchObject({ sent: 1, skipped: 1 });
    expect(await textsTo(service, near)).not.toContain('split');
    expect((await textsTo(service, far)).slice(-1)).toEqual(['split']);
    const { body } = await project.api('GET', `/v1/messages?subscriber_id=${near.subscriberId}`);
    expect(body.data[0]).toMatchObject({ status: 'skipped', reason: 'too_late', text: 'split' });
  });

  it('comes at the first local time in its audience, whoever else is subscribed', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    const patch = (person: Person, changes: object) =>
      project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, changes);
    await patch(anna, { timezone: 'Etc/GMT+5', tags: ['late'] });
    await patch(ben, { timezone: 'Pacific/Kiritimati' });
    const at = local(HOUR);
    const answer = await schedule({
      audience: { tags_all: ['late'] },
      scheduled_at: at,
      timezone: 'recipient',
    });
    expect(Date.parse(answer.body.next_at) - Date.parse(`${at}Z`)).toBe(5 * HOUR);
  });

  it('to an audience that gets no message fails with the reason of its messages', async () => {
    const anna = await subscribePerson(service, project);
    await service.control.faults('telegram', {
      method: 'sendMessage',
      times: 10,
      status: 400,
      description: 'Bad Request: chat not found',
      user: anna.name,
    });
    const id = await dueNow({ audience: {}, content: { text: 'lost' } });
    const failed = await until(id, 'failed');
    const { body } = await project.api('GET', `/v1/messages?subscriber_id=${anna.subscriberId}`);
    expect(failed.reason).toBe(body.data[0].reason);
    expect(failed.reason).not.toBe('unknown');
    expect(await eventsOf(service, project, 'scheduled.failed')).toMatchObject([
      { data: { scheduled_id: id, reason: failed.reason } },
    ]);
    await service.control.faults('telegram', { clear: true });
  });

  it('takes the audience again if a time zone appears while it is copied', async () => {
    const anna = await subscribePerson(service, project);
    // The zone appears between the two reads of the first attempt, which is rolled back with it.
    await service.pool.query(`CREATE SEQUENCE zone_attempts;
      CREATE FUNCTION move_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('zone_attempts') = 1 THEN
          UPDATE subscribers SET timezone = 'Pacific/Chatham' WHERE id = '${anna.subscriberId}';
        END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER move_once BEFORE INSERT ON broadcasts FOR EACH ROW EXECUTE FUNCTION move_once()`);
    const id = await scheduled({
      audience: {},
      content: { text: 'zones' },
      scheduled_at: local(1_000),
      timezone: 'recipient',
    });
    const { job_id } = await until(id, 'sent');
    await service.pool.query(
      'DROP TRIGGER move_once ON broadcasts; DROP FUNCTION move_once; DROP SEQUENCE zone_attempts',
    );
    const { rows } = await service.pool.query(
      'SELECT 1 FROM broadcast_recipients WHERE broadcast_id = $1 AND due_at IS NOT NULL',
      [job_id],
    );
    expect(rows).toHaveLength(1);
    expect((await textsTo(service, anna)).filter((text) => text === 'zones')).toHaveLength(1);
  });

  it('counts towards the limit while it is open, also when several are created at once', async () => {
    await service.pool.query('UPDATE projects SET scheduled_entries = 2 WHERE id = $1', [project.id]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => schedule({ external_id: 'a' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const first = answers.find(({ status }) => status === 201)?.body.scheduled_id;
    await project.api('DELETE', `/v1/scheduled/${first}`);
    expect((await schedule({ external_id: 'a' })).status).toBe(201);
  });
});
