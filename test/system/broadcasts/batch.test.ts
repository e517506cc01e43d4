import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { addCrowd, blockBilling, blockBot, eventsOf, subscribePerson, textsTo } from '../messages/fixture';

describe('a batch', () => {
  let service: Installation;
  let project: TestProject;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterEach(() => service.control.faults('telegram', { clear: true }));
  afterAll(() => service.stop());

  const start = (messages: unknown[], headers: Record<string, string> = {}) =>
    project.api('POST', '/v1/send/batch', { messages }, headers);

  const until = (batchId: string, status: string) =>
    eventually(async () => {
      const { body } = await project.api('GET', `/v1/send/batch/${batchId}`);
      if (body.status !== status) throw new Error(`the batch is ${JSON.stringify(body)}`);
      return body;
    });

  const resultsOf = async (batchId: string) =>
    (await project.api('GET', `/v1/send/batch/${batchId}/results`)).body.data;

  it('sends each its own message and reports each result in order', async () => {
    const anna = await subscribePerson(service, project, 'telegram', { first_name: 'Anna' });
    const max = await subscribePerson(service, project, 'max');
    const gone = await subscribePerson(service, project);
    for (const { subscriberId } of [anna, max]) {
      await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'pair' });
    }
    await service.control.say('telegram', gone.name, '/stop');
    await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length > 0);
    await project.api('POST', '/v1/templates', {
      key: 'hello',
      variants: { en: { text: 'Hello {{first_name}} {{n}}' } },
    });

    const { status, body } = await start([
      { subscriber_id: anna.subscriberId, template: 'hello', vars: { n: 1 }, ref: 'first' },
      { external_id: 'pair', text: 'both' },
      { subscriber_id: randomUUID(), text: 'unknown', ref: 'third' },
      { subscriber_id: gone.subscriberId, text: 'stopped' },
      { subscriber_id: max.subscriberId, text: 'allowed?', permission: 'news' },
      { external_id: 'pair', text: 'only max', channels: ['max'], ref: '' },
    ]);
    expect([status, body]).toEqual([202, { batch_id: expect.any(String), status: 'queued', total: 7 }]);
    const done = await until(body.batch_id, 'completed');
    expect(done).toMatchObject({ total: 7, sent: 4, failed: 1, skipped: 2, ended_at: expect.any(String) });

    const results = await resultsOf(body.batch_id);
    expect(
      results.map(({ index, status: result, reason }: Record<string, unknown>) => [index, result, reason]),
    ).toEqual([
      [0, 'sent', null],
      [1, 'sent', null],
      [1, 'sent', null],
      [2, 'failed', 'subscriber_not_found'],
      [3, 'skipped', 'unsubscribed'],
      [4, 'skipped', 'permission_missing'],
      [5, 'sent', null],
    ]);
    for (const [filter, places] of [
      ['skipped', [3, 4]],
      ['failed', [2]],
      ['queued', []],
    ] as const) {
      const { body: page } = await project.api(
        'GET',
        `/v1/send/batch/${body.batch_id}/results?status=${filter}`,
      );
      expect([filter, page.data.map(({ index }: { index: number }) => index)]).toEqual([filter, places]);
    }
    expect(results[0]).toMatchObject({ ref: 'first', subscriber_id: anna.subscriberId, channel: 'telegram' });
    expect(results[6]).toMatchObject({ ref: '' });
    expect(results[3]).toMatchObject({ ref: 'third', subscriber_id: null, channel: null, delivery_id: null });
    expect(results.filter(({ delivery_id }: { delivery_id: unknown }) => delivery_id === null)).toHaveLength(
      3,
    );
    expect((await textsTo(service, anna)).slice(-2).sort()).toEqual(['Hello Anna 1', 'both']);
    expect((await textsTo(service, max)).slice(-2).sort()).toEqual(['both', 'only max']);
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(4);
    const { data } = (await eventsOf(service, project, 'batch.completed'))[0]!;
    expect(data).toMatchObject({ batch_id: body.batch_id, sent: 4, failed: 1, skipped: 2, total: 7 });
    expect(await eventsOf(service, project, 'broadcast.completed')).toEqual([]);

    expect((await project.api('GET', '/v1/send/batch')).body.data).toEqual([done]);
    expect((await project.api('GET', '/v1/broadcast')).body.data).toEqual([]);
    expectError(await project.api('GET', `/v1/broadcast/${body.batch_id}`), 'not_found');
    expectError(await project.api('DELETE', `/v1/send/batch/${body.batch_id}`), 'conflict');
    const log = await project.api('GET', `/v1/messages?subscriber_id=${max.subscriberId}`);
    // There is no message to whom it skipped.
    const sent = { status: 'sent', source: 'batch', text: expect.stringMatching(/both|max/) };
    expect(log.body.data).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
  });

  it.each<[unknown[], string, RegExp]>([
    [[], 'validation_failed', /^messages: /],
    [[{ external_id: 'a', text: 'x' }, { external_id: 'b' }], 'validation_failed', /^messages\[1\]\.text: /],
    [
      [{ external_id: 'a', text: 'x', media: { type: 'photo', url: 'nowhere' } }],
      'invalid_url',
      /^messages\[0\]\.media\.url: /,
    ],
    [
      [{ external_id: 'a', subscriber_id: 'b', text: 'x' }],
      'mutually_exclusive_identifiers',
      /^messages\[0\]: /,
    ],
    [[{ external_id: 'a', template: 'none' }], 'not_found', /^messages\[0\]\.template: /],
    [[{ external_id: 'a', text: 'x', ref: 'r'.repeat(65) }], 'validation_failed', /^messages\[0\]\.ref: /],
  ])('with a malformed message is refused whole: %j', async (messages, code, error) => {
    expectError(await start(messages), code as never, error);
    expect((await project.api('GET', '/v1/send/batch')).body.data).toEqual([]);
  });

  it('sends the messages to one subscriber in the order of the request, however long a call takes', async () => {
    const anna = await subscribePerson(service, project);
    // Longer than a chat's second: the next message could overtake it.
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 1_500, user: anna.name });
    const texts = ['one', 'two', 'three', 'four'];
    const { body } = await start(texts.map((text) => ({ subscriber_id: anna.subscriberId, text })));
    await until(body.batch_id, 'completed');
    expect((await textsTo(service, anna)).slice(-4)).toEqual(texts);
  });

  it('names the message whose media cannot be sent, its own or that of its template', async () => {
    const { subscriberId: subscriber_id } = await subscribePerson(service, project);
    const media = { type: 'photo', url: 'https://10.0.0.1/x.jpg' };
    const key = 'private';
    await project.api('POST', '/v1/templates', { key, variants: { en: { text: 'x', media } } });
    const fine = { subscriber_id, text: 'x' };
    expectError(await start([fine, { ...fine, media }]), 'invalid_url', /^messages\[1\]\.media\.url: /);
    const templated = await start([fine, fine, { subscriber_id, template: key }]);
    expectError(templated, 'invalid_url', /^messages\[2\]\.template\.media\.url: /);
  });

  it('counts a recipient who blocked the bot and a text that turns out empty as failed, with their events', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    await blockBot(service, project, ben);
    await project.api('POST', '/v1/templates', { key: 'empty', variants: { en: { text: '{{x}}' } } });
    const { body } = await start([
      { subscriber_id: ben.subscriberId, text: 'x' },
      { subscriber_id: anna.subscriberId, template: 'empty', vars: { x: '' } },
    ]);
    expect(await until(body.batch_id, 'completed')).toMatchObject({
      sent: 0,
      failed: 2,
      skipped: 0,
      total: 2,
    });
    expect((await resultsOf(body.batch_id)).map(({ reason }: { reason: string }) => reason)).toEqual([
      'user_blocked_bot',
      'invalid_message',
    ]);
    const events = await eventsOf(service, project, 'delivery.failed');
    expect(events.map(({ data }) => data['reason']).sort()).toEqual(['invalid_message', 'user_blocked_bot']);
  });

  it('asks again for the permission and for a block when the turn of a message comes', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    const allow = (permissions: string[]) =>
      project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { permissions });
    await allow(['news']);
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    const { body } = await start([
      { subscriber_id: anna.subscriberId, text: 'x', permission: 'news' },
      { subscriber_id: ben.subscriberId, text: 'x' },
    ]);
    await allow([]);
    await blockBot(service, project, ben);
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    expect(await until(body.batch_id, 'completed')).toMatchObject({ sent: 0, failed: 1, skipped: 1 });
    expect(await resultsOf(body.batch_id)).toMatchObject([
      { status: 'skipped', reason: 'permission_missing', delivery_id: null },
      { status: 'failed', reason: 'user_blocked_bot', delivery_id: expect.any(String) },
    ]);
    const failures = await eventsOf(service, project, 'delivery.failed');
    expect(failures.map(({ data }) => data)).toMatchObject([
      { subscriber_id: ben.subscriberId, reason: 'user_blocked_bot' },
    ]);
  });

  it('is refused without credits, and repeated with a key it is the same one', async () => {
    const key = { 'idempotency-key': 'batch-key-1' };
    const first = await start([{ external_id: 'nobody', text: 'x' }], key);
    const again = await start([{ external_id: 'nobody', text: 'x' }], key);
    expect(again.body).toEqual(first.body);
    await until(first.body.batch_id, 'completed');
    await blockBilling(service, project);
    expectError(await start([{ external_id: 'nobody', text: 'x' }]), 'billing_blocked');
  });

  it('that is cancelled skips the rest, and its counts add up', async () => {
    await addCrowd(service, project, 'telegram', 300);
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM subscribers WHERE project_id = $1',
      [project.id],
    );
    // The first messages wait in the messenger until the batch is cancelled.
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 60_000, times: 300 });
    const { body } = await start(rows.map(({ id }, index) => ({ subscriber_id: id, text: `n${index}` })));
    await eventually(async () => {
      const { rowCount } = await service.pool.query(
        `SELECT 1 FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'sending'`,
        [body.batch_id],
      );
      return rowCount;
    });
    const cancelling = project.api('DELETE', `/v1/send/batch/${body.batch_id}`);
    await eventually(async () => {
      const { rowCount } = await service.pool.query(
        `SELECT 1 FROM broadcasts WHERE id = $1 AND status IN ('cancelling', 'cancelled')`,
        [body.batch_id],
      );
      return rowCount;
    });
    await service.control.faults('telegram', { clear: true });
    expect((await cancelling).status).toBe(200);
    const end = await until(body.batch_id, 'cancelled');
    expectError(await project.api('DELETE', `/v1/send/batch/${body.batch_id}`), 'conflict', /ended/);
    expect(end.skipped).toBeGreaterThan(0);
    expect(end.sent + end.failed + end.skipped).toBe(300);
    const page = await project.api('GET', `/v1/send/batch/${body.batch_id}/results?limit=100`);
    const next = await project.api(
      'GET',
      `/v1/send/batch/${body.batch_id}/results?limit=100&cursor=${page.body.next_cursor}`,
    );
    expect([page.body.data[99].index, next.body.data[0].index]).toEqual([99, 100]);
    const [event] = await eventsOf(service, project, 'batch.completed');
    expect(event?.data).toMatchObject({ batch_id: body.batch_id, skipped: end.skipped, total: 300 });
  });
});
