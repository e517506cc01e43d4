import { randomUUID } from 'node:crypto';
import { advanceEnrolment } from '../../../src/domains/drip/advance';
import { thenDue } from '../../support/agenda';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { expectError } from '../http/fixture';
import {
  blockBilling,
  blockBot,
  eventsOf,
  subscribePerson,
  textsTo,
  withoutGrace,
} from '../messages/fixture';
import { recordHistory } from '../replay/fixture';
import { delay, dripEnv, drips, send, type Enrolment } from './fixture';

describe('a drip chain', () => {
  let service: TestService;
  let project: TestProject;
  let chains: ReturnType<typeof drips>;
  beforeAll(async () => {
    // Its own: short delays, and steps that the test runs.
    service = await startTestService({ env: { ...dripEnv, ...withoutGrace } });
    chains = drips(service, () => project);
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterAll(() => service.stop());

  const sentTo = async (person: Parameters<typeof textsTo>[1]) => (await textsTo(service, person)).slice(1);

  /** Makes the step that the chain's enrolments wait in due, and wakes their workflows. */
  const comeDue = (chain: string) =>
    service.pool.query(
      thenDue(
        'drip',
        `UPDATE drip_enrolments SET step_began_at = now() - interval '1 day', next_at = now()
         WHERE drip_id = $1 AND ended_at IS NULL`,
      ),
      [chain],
    );

  it('runs its steps one after the other, each once, with its events and counts', async () => {
    const anna = await subscribePerson(service, project, 'telegram', { first_name: 'Anna' });
    await project.api('POST', '/v1/templates', {
      key: 'hi',
      variants: { en: { text: 'Hi {{first_name}}, {{event.plan|no}} plan' } },
    });
    const steps = [
      { id: 'welcome', type: 'send', content: { template: 'hi' } },
      { id: 'pause', type: 'delay', minutes: 1 },
      { id: 'news', type: 'send', content: { text: 'News' }, permission: 'news' },
      { id: 'mark', type: 'tag', add: ['welcomed'], remove: ['new'] },
      { id: 'is-vip', type: 'condition', if: { rules: [{ tag: 'vip' }] }, else: 'bye' },
      send('vip'),
      send('bye', 'Bye'),
      { id: 'stop', type: 'end' },
      send('never'),
    ];
    const created = await chains.api('POST', '', {
      name: 'Welcome',
      trigger: { type: 'manual' },
      steps,
      status: 'active',
    });
    expect([created.status, created.body]).toEqual([
      201,
      {
        drip_id: expect.any(String),
        name: 'Welcome',
        trigger: { type: 'manual' },
        steps: expect.any(Array),
        exit_on: null,
        reentry: 'once',
        status: 'active',
        version: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(created.body.steps.map(({ id }: { id: string }) => id)).toEqual(steps.map(({ id }) => id));
    const chain = created.body.drip_id;
    const whole = (await project.api('GET', `/v1/drip-chains/${chain}`)).body;
    expect((await project.api('GET', '/v1/drip-chains')).body.data).toEqual([whole]);
    expectError(await project.api('DELETE', '/v1/templates/hi'), 'conflict', /drip chain/);
    expectError(await project.api('DELETE', '/v1/tags/welcomed'), 'conflict', /Welcome/);
    const broken = { variants: { en: { text: '{{order}}' } } };
    expectError(await project.api('PUT', '/v1/templates/hi', broken), 'template_variable_missing', /order/);

    const { enrolment_id: id } = await chains.enrol(chain, anna.subscriberId, {
      properties: { plan: 'pro' },
    });
    expect(await chains.until(chain, { status: 'completed' })).toMatchObject({
      enrolment_id: id,
      reason: null,
      next_at: null,
    });
    expect(await sentTo(anna)).toEqual(['Hi Anna, pro plan', 'Bye']);
    const { body: subscriber } = await project.api('GET', `/v1/subscribers/${anna.subscriberId}`);
    expect(subscriber.tags).toEqual(['welcomed']);

    const who = { subscriber_id: anna.subscriberId, channel: 'telegram', external_id: null };
    const about = { drip_id: chain, name: 'Welcome', enrolment_id: id, version: 1, ...who };
    const [first, second, ...more] = await eventsOf(service, project, 'drip.step_sent');
    expect(more).toEqual([]);
    expect(first?.data).toMatchObject({
      ...about,
      step: 1,
      step_id: 'welcome',
      delivery_id: expect.any(String),
    });
    expect(second?.data).toMatchObject({ ...about, step: 7, step_id: 'bye' });
    expect((await eventsOf(service, project, 'drip.completed')).map(({ data }) => data)).toEqual([
      { ...about, outcome: 'completed', reason: null, steps_sent: 2, occurred_at: expect.any(String) },
    ]);

    const counts = (step_id: string, reached: number, more: object = {}) => ({
      step_id,
      reached,
      sent: 0,
      failed: 0,
      skipped: 0,
      ...more,
    });
    const { body: stats } = await chains.api('GET', `/${chain}/stats`);
    expect(stats).toEqual({
      enrolled: 1,
      active: 0,
      completed: 1,
      exited: 0,
      cancelled: 0,
      steps: [
        counts('welcome', 1, { sent: 1 }),
        counts('pause', 1),
        counts('news', 1, { skipped: 1 }),
        counts('mark', 1),
        counts('is-vip', 1),
        counts('vip', 0),
        counts('bye', 1, { sent: 1 }),
        counts('stop', 1),
        counts('never', 0),
      ],
    });
    const workflow = await chains.workflowEnded(id);
    const shown = workflow.typedSearchAttributes.getAll().map(({ value }) => value);
    expect(shown).toEqual(expect.arrayContaining([project.id, 'completed']));
    await recordHistory(chains.handleOf(id), 'drip', 'completed');
    // Once is once.
    expectError(
      await chains.api('POST', `/${chain}/enrolments`, { subscriber_id: anna.subscriberId }),
      'conflict',
      /once/,
    );
    expectError(await chains.api('DELETE', `/${chain}/enrolments/${id}`), 'conflict', /completed/);
  });

  it.each<[string, object, string, RegExp]>([
    ['no steps', { steps: [] }, 'validation_failed', /^steps: must not be empty/],
    [
      'too many steps',
      { steps: Array.from({ length: 51 }, (_, n) => send(`s${n}`)) },
      'validation_failed',
      /^steps: can have up to 50/,
    ],
    ['an id twice', { steps: [send('a'), send('a')] }, 'validation_failed', /^steps\[1\]\.id: "a"/],
    ['a bad id', { steps: [send('A b')] }, 'validation_failed', /^steps\[0\]\.id: /],
    ['an unknown type', { steps: [{ id: 'a', type: 'sms' }] }, 'validation_failed', /^steps\[0\]\.type: /],
    ['no delay', { steps: [delay('a', 0)] }, 'validation_failed', /^steps\[0\]\.minutes: /],
    ['a delay above a year', { steps: [delay('a', 525_601)] }, 'validation_failed', /^steps\[0\]\.minutes: /],
    [
      'a way backward',
      {
        steps: [send('a'), { id: 'b', type: 'condition', if: { rules: [{ tag: 'x' }] }, else: 'a' }],
      },
      'validation_failed',
      /^steps\[1\]\.else: must be a later step/,
    ],
    [
      'a way to itself',
      { steps: [{ id: 'b', type: 'condition', if: { rules: [{ tag: 'x' }] }, else: 'b' }] },
      'validation_failed',
      /^steps\[0\]\.else: must be a later step/,
    ],
    [
      'a way to nowhere',
      { steps: [{ id: 'b', type: 'condition', if: { rules: [{ tag: 'x' }] }, else: 'c' }] },
      'validation_failed',
      /^steps\[0\]\.else: there is no step "c"/,
    ],
    [
      'a window that ends before it begins',
      { steps: [{ id: 'a', type: 'wait_until', from: '18:00', to: '09:00' }] },
      'validation_failed',
      /^steps\[0\]\.to: must be after from/,
    ],
    [
      'an eighth weekday',
      { steps: [{ id: 'a', type: 'wait_until', from: '09:00', to: '18:00', weekdays: [8] }] },
      'validation_failed',
      /^steps\[0\]\.weekdays\[0\]: /,
    ],
    ['no tag', { steps: [{ id: 'a', type: 'tag' }] }, 'validation_failed', /^steps\[0\]\.add: /],
    [
      'two kinds of content',
      { steps: [{ id: 'a', type: 'send', content: { text: 'x', template: 'y' } }] },
      'validation_failed',
      /^steps\[0\]\.content\.text: /,
    ],
    [
      'an unknown template',
      { steps: [send('b'), { id: 'a', type: 'send', content: { template: 'none' } }] },
      'not_found',
      /^steps\[1\]\.content\.template: /,
    ],
    ['an unknown trigger', { trigger: { type: 'birthday' } }, 'validation_failed', /^trigger\.type: /],
    ['a trigger without a name', { trigger: { type: 'event' } }, 'validation_failed', /^trigger\.name: /],
    [
      'rules on a tag for an event',
      { trigger: { type: 'event', name: 'a', where: { rules: [{ tag: 'a' }] } } },
      'validation_failed',
      /^trigger\.where\.rules\[0\]\.tag: /,
    ],
    ['empty rules', { exit_on: { rules: [] } }, 'validation_failed', /^exit_on\.rules: /],
    ['an unknown reentry', { reentry: 'never' }, 'validation_failed', /^reentry: /],
  ])('with %s is refused', async (_, chain, code, error) => {
    const body = { name: 'Chain', trigger: { type: 'manual' }, steps: [send('a')], ...chain };
    expectError(await chains.api('POST', '', body), code as never, error);
  });

  it('is listed with its steps; a page of long chains ends early, and no chain is missing', async () => {
    const writer = await service.createProject();
    const text = 'ж'.repeat(4_000);
    const steps = Array.from({ length: 50 }, (_, n) => ({ id: `s${n}`, type: 'send', content: { text } }));
    const made: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const { body } = await writer.api('POST', '/v1/drip-chains', {
        name,
        trigger: { type: 'manual' },
        steps,
      });
      made.unshift(body.drip_id);
    }
    const first = (await writer.api('GET', '/v1/drip-chains')).body;
    expect(first.data).toHaveLength(3);
    expect(first.data[0].steps).toHaveLength(50);
    const rest = (await writer.api('GET', `/v1/drip-chains?cursor=${first.next_cursor}`)).body;
    expect(rest.next_cursor).toBeNull();
    const listed = [...first.data, ...rest.data].map(({ drip_id }: { drip_id: string }) => drip_id);
    expect(listed).toEqual(made);
  });

  it('takes subscribers by a tag, a subscription or an event, in the commit of the cause', async () => {
    const byTag = await chains.create({
      trigger: { type: 'tag_added', tag: 'buyer' },
      reentry: 'again',
      steps: [send('tagged')],
    });
    const bySubscription = await chains.create({
      trigger: { type: 'subscription' },
      steps: [delay('wait', 1000)],
    });
    const where = { rules: [{ property: 'amount', op: 'gt', value: 10 }] };
    const byEvent = await chains.create({
      trigger: { type: 'event', name: 'purchase', where },
      exit_on: { rules: [{ event: 'refund' }] },
      steps: [
        { id: 'bought', type: 'condition', if: { rules: [{ event: 'purchase' }] }, else: 'end' },
        send('thanks'),
        delay('wait', 1000),
      ],
    });
    const anna = await subscribePerson(service, project);
    await chains.until(bySubscription, { status: 'active', step_id: 'wait' });

    const patch = (tags: string[]) => project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags });
    await patch(['other']);
    expect(await chains.list(byTag)).toEqual([]);
    await patch(['other', 'buyer']);
    await chains.until(byTag, { status: 'completed' });
    // Had already.
    await patch(['buyer']);
    expect(await chains.list(byTag)).toHaveLength(1);
    await patch([]);
    await patch(['buyer']);
    expect(await chains.list(byTag)).toHaveLength(2);

    const track = (...events: object[]) =>
      project.api('POST', '/v1/events', {
        events: events.map((event) => ({ subscriber_id: anna.subscriberId, ...event })),
      });
    await track({ name: 'purchase', properties: { amount: 10 } });
    expect(await chains.list(byEvent)).toEqual([]);
    await track({ name: 'purchase', properties: { amount: 11 } });
    await chains.until(byEvent, { status: 'active', step_id: 'wait' });
    expect(await sentTo(anna)).toEqual(expect.arrayContaining(['thanks']));
    expect(await chains.list(byEvent, '?status=completed')).toEqual([]);
    const [own] = await chains.list(byEvent, `?subscriber_id=${anna.subscriberId}`);
    expect(own?.step_id).toBe('wait');
  });

  it('exits for a rule and for a subscriber who has unsubscribed, before the next step', async () => {
    const [anna, ben, carl] = [
      await subscribePerson(service, project),
      await subscribePerson(service, project),
      await subscribePerson(service, project),
    ];
    const chain = await chains.create({
      exit_on: { match: 'any', rules: [{ tag: 'done' }, { event: 'bought' }] },
      steps: [delay('wait', 1000), send('never')],
    });
    const [a, b] = [
      await chains.enrol(chain, anna.subscriberId),
      await chains.enrol(chain, ben.subscriberId),
    ];
    await project.api('POST', '/v1/events', {
      events: [{ name: 'bought', subscriber_id: anna.subscriberId }],
    });
    await service.control.say('telegram', ben.name, '/stop');
    await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);
    await eventually(async () => (await chains.list(chain)).every(({ step_id }) => step_id === 'wait'));
    // Of both reasons it is the rule.
    await project.api('PATCH', `/v1/subscribers/${carl.subscriberId}`, { tags: ['done'] });
    await service.pool.query('UPDATE subscribers SET active = false WHERE id = $1', [carl.subscriberId]);
    const c = await service.pool.query<{ id: string }>(
      `INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, step_began_at, steps_begun, next_at)
       VALUES ($1, $2, 1, $3, 'wait', now(), 1, now()) RETURNING id`,
      [project.id, chain, carl.subscriberId],
    );
    await comeDue(chain);
    const reasons = await eventually(async () => {
      const found = await chains.list(chain, '?status=exited');
      return found.length === 3 ? new Map(found.map((each) => [each.enrolment_id, each.reason])) : null;
    });
    expect(reasons.get(a.enrolment_id)).toBe('exit_rule');
    expect(reasons.get(b.enrolment_id)).toBe('unsubscribed');
    expect(reasons.get(c.rows[0]?.id ?? '')).toBe('exit_rule');
    const events = await eventsOf(service, project, 'drip.completed');
    expect(events.map(({ data }) => [data['outcome'], data['steps_sent']])).toEqual([
      ['exited', 0],
      ['exited', 0],
      ['exited', 0],
    ]);
  });

  it('that is paused keeps what is due and goes on when it is active again', async () => {
    const anna = await subscribePerson(service, project);
    const chain = await chains.create({ steps: [delay('wait', 1000), send('after')] });
    const { enrolment_id: id } = await chains.enrol(chain, anna.subscriberId);
    await chains.until(chain, { step_id: 'wait' });
    await chains.api('PATCH', `/${chain}`, { status: 'paused' });
    await comeDue(chain);
    await chains.workflowEnded(id);
    expect(await chains.list(chain)).toEqual([
      expect.objectContaining({ status: 'active', step_id: 'wait' }),
    ]);
    expect(await sentTo(anna)).toEqual([]);
    const ben = await subscribePerson(service, project);
    const refused = await chains.api('POST', `/${chain}/enrolments`, { subscriber_id: ben.subscriberId });
    expectError(refused, 'conflict', /paused/);
    await chains.api('PATCH', `/${chain}`, { status: 'active' });
    await chains.until(chain, { status: 'completed' });
    expect(await sentTo(anna)).toEqual(['after']);
  });

  it('that is changed raises its version; enrolments keep theirs unless they are migrated', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    const chain = await chains.create({ steps: [delay('wait', 1000), send('old')] });
    await chains.enrol(chain, anna.subscriberId);
    await eventually(async () => (await chains.list(chain))[0]?.step_id === 'wait');
    const patch = async (changes: object) => (await chains.api('PATCH', `/${chain}`, changes)).body;
    expect((await patch({ name: 'New name', reentry: 'again' })).version).toBe(1);
    expect((await patch({ steps: [delay('wait', 1000), send('old')] })).version).toBe(1);
    expect((await patch({ steps: [delay('wait', 1000), send('new')] })).version).toBe(2);
    await chains.enrol(chain, ben.subscriberId);
    expect((await chains.list(chain)).map(({ version }) => version).sort()).toEqual([1, 2]);
    expect((await chains.api('GET', `/${chain}/stats?version=1`)).body).toMatchObject({ enrolled: 1 });
    expectError(await chains.api('GET', `/${chain}/stats?version=7`), 'not_found');
    // The wait is computed anew from the beginning of its step.
    await patch({ steps: [delay('wait', 1), send('newest')], migrate: true });
    await eventually(async () => (await chains.list(chain, '?status=completed')).length === 2);
    expect([await sentTo(anna), await sentTo(ben)]).toEqual([['newest'], ['newest']]);
    expect((await chains.list(chain)).map(({ version }) => version)).toEqual([3, 3]);
    // A version that no enrolment has is still one of the chain's.
    const { body: none } = await chains.api('GET', `/${chain}/stats?version=1`);
    expect(none).toEqual({ enrolled: 0, active: 0, completed: 0, exited: 0, cancelled: 0, steps: [] });
  });

  it('ends its enrolments when they are cancelled or the chain is deleted', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    const chain = await chains.create({ steps: [delay('wait', 1000), send('never')] });
    const { enrolment_id: id } = await chains.enrol(chain, anna.subscriberId);
    const other = await chains.enrol(chain, ben.subscriberId);
    await eventually(async () => (await chains.list(chain)).every(({ step_id }) => step_id === 'wait'));
    const cancelled = await chains.api('DELETE', `/${chain}/enrolments/${id}`);
    expect([cancelled.status, cancelled.body]).toEqual([
      200,
      expect.objectContaining({ status: 'cancelled', next_at: null, ended_at: expect.any(String) }),
    ]);
    await chains.workflowEnded(id);
    const carl = await subscribePerson(service, project);
    const removed = await chains.enrol(chain, carl.subscriberId);
    // An enrolment that is removed before it has a workflow gets none.
    await eventually(() => chains.handleOf(removed.enrolment_id).describe());
    expect((await project.api('DELETE', `/v1/subscribers/${carl.subscriberId}`)).status).toBe(204);
    await chains.workflowEnded(removed.enrolment_id);
    expect((await chains.api('DELETE', `/${chain}`)).status).toBe(204);
    expectError(await chains.api('GET', `/${chain}`), 'not_found');
    await chains.workflowEnded(other.enrolment_id);
    expect(await eventsOf(service, project, 'drip.completed', 'drip.step_sent')).toEqual([]);
  });

  it('sends at the time of day that a step waits for', async () => {
    const anna = await subscribePerson(service, project);
    const minutes = new Date().getUTCHours() * 60 + new Date().getUTCMinutes();
    const clock = (at: number) =>
      `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
    // An hour of the day that is at least two hours away.
    const away = minutes >= 180 && minutes < 1260 ? 0 : 720;
    // Where that hour is now; its window has another hour for the rest of the test.
    const ahead = Math.ceil(((away - minutes + 1440) % 1440) / 60);
    const there = ahead <= 14 ? `Etc/GMT-${ahead}` : `Etc/GMT+${24 - ahead}`;
    const open = { id: 'open', type: 'wait_until', from: '00:00', to: '24:00', timezone: 'project' };
    const closed = { id: 'closed', type: 'wait_until', from: clock(away), to: clock(away + 120) };
    const chain = await chains.create({ steps: [open, send('now'), closed, send('later')] });
    await chains.enrol(chain, anna.subscriberId);
    const waiting = await chains.until(chain, { step_id: 'closed' });
    await eventually(async () => {
      const [found] = await chains.list(chain);
      return Date.parse(found?.next_at ?? '') > Date.now() + 60_000;
    });
    expect(waiting.status).toBe('active');
    expect(await sentTo(anna)).toEqual(['now']);
    const ben = await subscribePerson(service, project);
    await project.api('PATCH', `/v1/subscribers/${ben.subscriberId}`, { timezone: there });
    await chains.enrol(chain, ben.subscriberId);
    await eventually(async () => (await sentTo(ben)).includes('later'));
  });

  it('counts a message that fails, and goes on', async () => {
    const anna = await subscribePerson(service, project);
    await blockBilling(service, project);
    const chain = await chains.create({ steps: [send('a'), send('b')] });
    await chains.enrol(chain, anna.subscriberId);
    await chains.until(chain, { status: 'completed' });
    const { body } = await chains.api('GET', `/${chain}/stats`);
    expect(body.steps.map(({ failed }: { failed: number }) => failed)).toEqual([1, 1]);
    const { rows } = await service.pool.query('SELECT DISTINCT reason FROM drip_steps WHERE drip_id = $1', [
      chain,
    ]);
    expect(rows).toEqual([{ reason: 'billing_blocked' }]);
  });

  it('waits for a bot that is unavailable, longer each time, and for a day at most: until then it is no failure', async () => {
    const anna = await subscribePerson(service, project);
    const { core } = service.service;
    await service.control.faults('telegram', {
      method: 'sendMessage',
      user: anna.name,
      status: 502,
      times: 1_000,
    });
    const chain = await chains.create({
      exit_on: { rules: [{ tag: 'done' }] },
      steps: [send('a'), send('b'), send('c')],
    });
    const { enrolment_id: id } = await chains.enrol(chain, anna.subscriberId);
    const waitOf = ({ next_at }: Enrolment) => Date.parse(next_at ?? '') - Date.now();
    await eventually(async () => waitOf((await chains.list(chain))[0]!) > 15_000);
    // From here on the test looks, however long it takes.
    await chains.handleOf(id).terminate();
    expect(await chains.list(chain)).toEqual([expect.objectContaining({ status: 'active', step_id: 'a' })]);

    const look = (parts: Partial<typeof core> = {}) => advanceEnrolment({ ...core, ...parts }, id);
    /** As if the step had begun that long ago, and its workflow looked now. */
    const lookAfter = async (ago: string, parts: Partial<typeof core> = {}) => {
      const backdate = 'UPDATE drip_enrolments SET step_began_at = now() - $2::interval WHERE id = $1';
      await service.pool.query(backdate, [id, ago]);
      return look(parts);
    };
    const tenMinutes = await lookAfter('10 minutes');
    expect(tenMinutes).toMatchObject({ status: 'active', progress: 'step a' });
    expect(Math.round(tenMinutes.waitMs / 60_000)).toBe(10);
    expect((await lookAfter('23 hours')).waitMs).toBe(15 * 60_000);
    expect(await eventsOf(service, project, 'delivery.failed')).toEqual([]);
    expect(await lookAfter('25 hours')).toMatchObject({ status: 'active', progress: 'step b' });

    // The message to a bot that is not connected is not even written.
    const noBot = { messengers: { ...core.messengers, reaching: async () => null } };
    expect(await look(noBot)).toMatchObject({ status: 'active', progress: 'step b', waitMs: 30_000 });
    expect(await lookAfter('25 hours', noBot)).toMatchObject({ status: 'active', progress: 'step c' });
    const failed = async () => {
      const { body } = await chains.api('GET', `/${chain}/stats`);
      return body.steps.map((step: { failed: number }) => step.failed);
    };
    expect(await failed()).toEqual([1, 1, 0]);

    // Exit rules hold for a message that waits: it is as good as not begun.
    expect(await look()).toMatchObject({ status: 'active', progress: 'step c', waitMs: 30_000 });
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags: ['done'] });
    await service.control.faults('telegram', { clear: true });
    expect(await look()).toMatchObject({ status: 'exited' });
    expect(await chains.until(chain, { status: 'exited' })).toMatchObject({ reason: 'exit_rule' });
    expect(await sentTo(anna)).toEqual([]);
    expect(await failed()).toEqual([1, 1, 0]);
  });

  it('does not send a message that waited for its bot once its permission is withdrawn', async () => {
    const anna = await subscribePerson(service, project);
    const about = `/v1/subscribers/${anna.subscriberId}`;
    await project.api('PATCH', about, { permissions: ['news'] });
    await service.control.faults('telegram', {
      method: 'sendMessage',
      user: anna.name,
      status: 502,
      times: 1_000,
    });
    const chain = await chains.create({ steps: [{ ...send('a'), permission: 'news' }, send('b')] });
    const { enrolment_id: id } = await chains.enrol(chain, anna.subscriberId);
    await eventually(async () => {
      const { rows } = await service.pool.query<{ status: string }>(
        'SELECT m.status FROM messages m JOIN drip_steps d ON d.id = m.request_id WHERE d.drip_id = $1',
        [chain],
      );
      const [waiting] = await chains.list(chain);
      return rows[0]?.status === 'queued' && Date.parse(waiting?.next_at ?? '') > Date.now() + 15_000;
    });
    // From here on the test looks, however long it takes.
    await chains.handleOf(id).terminate();
    await project.api('PATCH', about, { permissions: [] });
    await service.control.faults('telegram', { clear: true });
    expect(await advanceEnrolment(service.service.core, id)).toMatchObject({ progress: 'step b', waitMs: 0 });
    expect(await advanceEnrolment(service.service.core, id)).toMatchObject({ status: 'completed' });
    expect(await sentTo(anna)).toEqual(['b']);
    const { body } = await chains.api('GET', `/${chain}/stats`);
    expect(body.steps).toEqual([
      { step_id: 'a', reached: 1, sent: 0, failed: 0, skipped: 1 },
      { step_id: 'b', reached: 1, sent: 1, failed: 0, skipped: 0 },
    ]);
    const { rows } = await service.pool.query(
      `SELECT d.reason, m.status, m.reason AS refused FROM drip_steps d JOIN messages m ON m.request_id = d.id
       WHERE d.drip_id = $1 AND d.step_id = 'a'`,
      [chain],
    );
    expect(rows).toEqual([
      { reason: 'permission_missing', status: 'skipped', refused: 'permission_missing' },
    ]);
    // As where it is missing from the beginning: nothing was sent, so nothing failed.
    expect(await eventsOf(service, project, 'delivery.failed')).toEqual([]);
  });

  it('does not repeat a message whose outcome is unknown', async () => {
    const anna = await subscribePerson(service, project);
    await service.control.faults('telegram', {
      method: 'sendMessage',
      user: anna.name,
      drop_after: true,
      times: 1,
    });
    const chain = await chains.create({ steps: [send('a'), send('b')] });
    await chains.enrol(chain, anna.subscriberId);
    await chains.until(chain, { status: 'completed' });
    expect(await sentTo(anna)).toEqual(['a', 'b']);
    const { body } = await chains.api('GET', `/${chain}/stats`);
    expect(body.steps).toEqual([
      { step_id: 'a', reached: 1, sent: 0, failed: 1, skipped: 0 },
      { step_id: 'b', reached: 1, sent: 1, failed: 0, skipped: 0 },
    ]);
  });

  it('has exact limits under concurrency', async () => {
    const anna = await subscribePerson(service, project);
    const once = await chains.create({ steps: [delay('wait', 1000)] });
    const again = await chains.create({ reentry: 'again', steps: [delay('wait', 1000)] });
    const enrolAtOnce = (chain: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          chains.api('POST', `/${chain}/enrolments`, { subscriber_id: anna.subscriberId }),
        ),
      );
    const statuses = (await enrolAtOnce(once, 5)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409]);
    for (let begun = 1; begun <= 10; begun += 1) {
      const results = await enrolAtOnce(again, 3);
      expect(results.filter(({ status }) => status === 201)).toHaveLength(1);
      const id = results.find(({ status }) => status === 201)?.body.data[0].enrolment_id;
      await chains.api('DELETE', `/${again}/enrolments/${id}`);
    }
    expectError((await enrolAtOnce(again, 1))[0] as never, 'conflict', /10 times/);

    await service.pool.query('UPDATE projects SET scheduled_entries = 5 WHERE id = $1', [project.id]);
    const body = { name: 'Chain', trigger: { type: 'manual' }, steps: [send('a')] };
    const created = await Promise.all(Array.from({ length: 6 }, () => chains.api('POST', '', body)));
    expect(created.filter(({ status }) => status === 201)).toHaveLength(3);
    expectError(created.find(({ status }) => status !== 201) as never, 'conflict', /up to 5/);
  });

  it('names subscribers that cannot be enrolled', async () => {
    const chain = await chains.create({});
    const enrol = (body: object) => chains.api('POST', `/${chain}/enrolments`, body);
    expectError(await enrol({ subscriber_id: randomUUID() }), 'subscriber_not_found');
    expectError(await enrol({ external_id: 'nobody' }), 'subscriber_not_found');
    expectError(await enrol({}), 'validation_failed', /^subscriber_id: /);
    expectError(await enrol({ subscriber_id: 'a', external_id: 'b' }), 'mutually_exclusive_identifiers');
    const other = await service.createProject();
    expect((await other.api('GET', `/v1/drip-chains/${chain}`)).status).toBe(404);
    expect((await other.api('GET', `/v1/drip-chains/${chain}/enrolments`)).status).toBe(404);
  });

  it('enrols no subscriber while it is a draft; an active one enrols those of an external_id who can enter', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    for (const { subscriberId } of [anna, ben]) {
      await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'pair' });
    }
    const chain = await chains.create({ status: 'draft', steps: [delay('wait', 1000)] });
    const enrol = (body: object) => chains.api('POST', `/${chain}/enrolments`, body);
    expectError(await enrol({ subscriber_id: anna.subscriberId }), 'conflict', /draft/);
    await chains.api('PATCH', `/${chain}`, { status: 'active' });
    await chains.enrol(chain, anna.subscriberId);
    const rest = await enrol({ external_id: 'pair' });
    expect([rest.status, rest.body]).toEqual([
      201,
      { data: [expect.objectContaining({ subscriber_id: ben.subscriberId, version: 1 })] },
    ]);
    expectError(await enrol({ external_id: 'pair' }), 'conflict', /in the chain/);
    const left = await chains.create({});
    await service.pool.query('UPDATE subscribers SET active = false WHERE id = $1', [anna.subscriberId]);
    const inactive = await chains.api('POST', `/${left}/enrolments`, { subscriber_id: anna.subscriberId });
    expectError(inactive, 'conflict', /inactive/);
  });

  it('has a new version with a new trigger or exit rule; a migration leaves those whose step is gone', async () => {
    const anna = await subscribePerson(service, project);
    const chain = await chains.create({ steps: [delay('wait', 1000)] });
    await chains.enrol(chain, anna.subscriberId);
    await chains.until(chain, { step_id: 'wait' });
    const patch = async (changes: object) => (await chains.api('PATCH', `/${chain}`, changes)).body.version;
    expect(await patch({ trigger: { type: 'subscription' } })).toBe(2);
    expect(await patch({ exit_on: { rules: [{ tag: 'done' }] } })).toBe(3);
    expect(await patch({ exit_on: { rules: [{ tag: 'done' }] } })).toBe(3);
    expect(await patch({ exit_on: null })).toBe(4);
    expect(await patch({ steps: [delay('another', 1000)], migrate: true })).toBe(5);
    expect(await chains.list(chain)).toMatchObject([{ version: 1, step_id: 'wait', status: 'active' }]);
  });

  it('takes subscribers by a tag of a link or an import, and by a subscription that comes back', async () => {
    const byTag = await chains.create({
      trigger: { type: 'tag_added', tag: 'lead' },
      steps: [{ id: 'stop', type: 'end' }],
    });
    const bySubscription = await chains.create({
      trigger: { type: 'subscription' },
      reentry: 'again',
      steps: [{ id: 'stop', type: 'end' }],
    });
    const anna = await subscribePerson(service, project);
    await chains.until(bySubscription, { status: 'completed' });
    await blockBot(service, project, anna);
    await service.control.unblock('telegram', anna.name);
    await eventually(async () => (await chains.list(bySubscription)).length === 2);
    expect(await chains.list(byTag)).toEqual([]);

    const link = await project.api('POST', '/v1/subscribe-links', { tags: ['lead'] });
    const start = new URL(link.body.telegram_link).searchParams.get('start');
    await service.control.open('telegram', anna.name, { start });
    await eventually(async () => (await chains.list(byTag)).length === 1);

    const ben = await subscribePerson(service, project);
    const file = `subscriber_id,add_tags\n${ben.subscriberId},lead\n`;
    const csv = { 'content-type': 'text/csv' };
    expect((await project.api('POST', '/v1/import/subscribers', file, csv)).status).toBe(202);
    const entered = await eventually(async () => {
      const found = await chains.list(byTag);
      return found.length === 2 ? found.map(({ subscriber_id }) => subscriber_id) : null;
    });
    expect(entered.sort()).toEqual([anna.subscriberId, ben.subscriberId].sort());
  });

  it('that triggers another one, which triggers it, ends', async () => {
    const anna = await subscribePerson(service, project);
    const turn = (from: string, to: string) => ({
      trigger: { type: 'tag_added', tag: from },
      reentry: 'again',
      steps: [{ id: 'turn', type: 'tag', add: [to], remove: [from] }],
    });
    const [ping, pong] = [
      await chains.create(turn('ping', 'pong')),
      await chains.create(turn('pong', 'ping')),
    ];
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags: ['ping'] });
    const begun = await eventually(async () => {
      // A step that adds the tag enrols in its own commit: without an active enrolment nothing more happens.
      const { rows } = await service.pool.query<{ drip_id: string; active: number; begun: number }>(
        `SELECT drip_id, count(*) FILTER (WHERE ended_at IS NULL)::int AS active, count(*)::int AS begun
         FROM drip_enrolments WHERE project_id = $1 GROUP BY drip_id`,
        [project.id],
      );
      const isOver = rows.length === 2 && rows.every(({ active }) => active === 0);
      return isOver ? new Map(rows.map((row) => [row.drip_id, row.begun])) : null;
    });
    // The limit of enrolments begun in 24 hours ends the loop.
    expect([begun.get(ping), begun.get(pong)]).toEqual([10, 10]);
  });

  it('with many waiting enrolments starts no storm when it becomes active', async () => {
    const anna = await subscribePerson(service, project);
    const chain = await chains.create({ steps: [delay('wait'), { id: 'stop', type: 'end' }] });
    const count = 300;
    await service.pool.query(
      `WITH people AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT $1, 'telegram', 'storm-' || n, 'storm-' || n, 'Crowd', 'en' FROM generate_series(1, $3::int) n
         RETURNING id)
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, step_began_at, steps_begun,
         next_at, parked)
       SELECT $1, $2, 1, id, 'wait', now(), 1, now(), true FROM people`,
      [project.id, chain, count],
    );
    await chains.api('PATCH', `/${chain}`, { status: 'paused' });
    const began = new Date();
    await chains.api('PATCH', `/${chain}`, { status: 'active' });
    const seconds = await eventually(async () => {
      const { rows } = await service.pool.query<{ seconds: number; parked: number }>(
        `SELECT extract(epoch FROM max(next_at) - $2::timestamptz)::float8 AS seconds,
           count(*) FILTER (WHERE parked)::int AS parked FROM drip_enrolments WHERE drip_id = $1`,
        [chain, began],
      );
      return rows[0]?.parked === 0 && rows[0].seconds;
    });
    // Ten in a second.
    expect(seconds).toBeGreaterThan(count / 10 - 1);
    // A new one does not wait for them, which would take 30 seconds.
    await chains.enrol(chain, anna.subscriberId);
    await eventually(async () => {
      const [own] = await chains.list(chain, `?subscriber_id=${anna.subscriberId}`);
      return own?.status === 'completed';
    }, 25_000);
    expect((await chains.api('DELETE', `/${chain}`)).status).toBe(204);
  });
});
