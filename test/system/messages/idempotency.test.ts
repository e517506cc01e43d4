import { eventually } from '../../support/eventually';
import { stablePort } from '../../support/stable-port';
import type { Api } from '../../support/api';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { startSecondProcess, type HeraldProcess } from '../../support/herald-process';
import {
  blockBilling,
  eventsOf,
  freshName,
  liftBillingBlock,
  subscribePerson,
  textsTo,
  type Person,
} from './fixture';

describe('the Idempotency-Key of /v1/send', () => {
  let service: Installation;
  let project: TestProject;
  let person: Person;
  let api: Api;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
    person = await subscribePerson(service, project);
    api = project.api;
  });
  afterEach(() => service.control.faults('telegram', { clear: true }));
  afterAll(() => service.stop());

  const send = (key: string, more: Record<string, unknown> = {}) =>
    api(
      'POST',
      '/v1/send',
      { subscriber_id: person.subscriberId, text: 'hello', ...more },
      { 'idempotency-key': key },
    );
  const hellos = async () => (await textsTo(service, person)).filter((text) => text === 'hello').length;

  it('repeats the first response and sends nothing', async () => {
    const key = freshName('key');
    const first = await send(key);
    const again = await send(key);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-ratelimit-remaining')).not.toBeNull();
    expect(await hellos()).toBe(1);
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(1);
    expect((await send(freshName('key'))).body.sent).toBe(1);
    expect(await hellos()).toBe(2);
  });

  it('means the same request whatever the order of its fields, and 409 for another body', async () => {
    const key = freshName('key');
    const first = await send(key, { format: 'plain', buttons: [] });
    const reordered = await api(
      'POST',
      '/v1/send',
      { text: 'hello', subscriber_id: person.subscriberId },
      { 'idempotency-key': key },
    );
    expect(reordered.body).toEqual(first.body);
    const other = await send(key, { text: 'something else' });
    expect([other.status, other.body.code, other.body.retryable]).toEqual([
      409,
      'idempotency_conflict',
      false,
    ]);
  });

  it('belongs to one project', async () => {
    const key = freshName('key');
    await send(key);
    const other = await service.createProject();
    const theirs = await other.api(
      'POST',
      '/v1/send',
      { external_id: 'x', text: 'hello' },
      { 'idempotency-key': key },
    );
    expect(theirs.body.code).toBe('subscriber_not_found');
  });

  it('must be 8 to 128 characters of A-Z a-z 0-9 _ -', async () => {
    for (const key of ['short12', 'x'.repeat(129), 'with space', 'emoji-ключ-ключ'.slice(0, 5) + '%%%']) {
      const { status, body } = await send(key);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.error).toContain('idempotency-key');
    }
    expect(await hellos()).toBe(0);
    expect((await send('x'.repeat(128))).status).toBe(200);
  });

  it('lets one of many concurrent requests through; the others get 425', async () => {
    const key = freshName('key');
    // The one that is let through waits in the messenger until the others have their response.
    await service.control.faults('telegram', {
      method: 'sendMessage',
      delay_ms: 60_000,
      user: person.name,
    });
    const requests = Array.from({ length: 10 }, () => send(key));
    let ended = 0;
    for (const request of requests) void request.then(() => (ended += 1));
    await eventually(() => ended >= 9);
    await service.control.faults('telegram', { clear: true });
    const answers = await Promise.all(requests);
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, ...Array<number>(9).fill(425)]);
    const waiting = answers.find((answer) => answer.status === 425);
    expect(waiting?.body).toMatchObject({ code: 'request_in_progress', retryable: true });
    expect(waiting?.headers.get('retry-after')).toBe('1');
    expect((await send(key)).body).toEqual(answers.find((answer) => answer.status === 200)?.body);
    expect(await hellos()).toBe(1);
  });

  it('records a message that failed, and an error that will not pass', async () => {
    const key = freshName('key');
    await service.control.faults('telegram', { method: 'sendMessage', status: 500, user: person.name });
    const failed = await send(key);
    expect(failed.body).toMatchObject({ failed: 1, details: [{ reason: 'platform_unavailable' }] });
    expect((await send(key)).body).toEqual(failed.body);

    const missing = freshName('key');
    const byExternalId = () =>
      api('POST', '/v1/send', { external_id: 'later', text: 'hello' }, { 'idempotency-key': missing });
    const first = await byExternalId();
    expect([first.status, first.body.code]).toEqual([404, 'subscriber_not_found']);
    await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { external_id: 'later' });
    expect((await byExternalId()).body).toEqual(first.body);
    expect(await hellos()).toBe(0);
  });

  it('does not record errors that can pass: no credits, a wrong body, a wrong key', async () => {
    const key = freshName('key');
    await blockBilling(service, project);
    expect((await send(key)).status).toBe(402);
    expect((await send(key, { text: '' })).status).toBe(400);
    const stranger = service.apiWith('hk_unknown');
    const body = { subscriber_id: person.subscriberId, text: 'hello' };
    expect((await stranger('POST', '/v1/send', body, { 'idempotency-key': key })).status).toBe(401);
    await liftBillingBlock(service, project);
    expect((await send(key)).body.sent).toBe(1);
  });

  it('is forgotten after 24 hours', async () => {
    const key = freshName('key');
    await send(key);
    await service.pool.query(
      `UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE key = $1`,
      [key],
    );
    expect((await send(key, { text: 'hello' })).headers.get('idempotent-replayed')).toBeNull();
    expect(await hellos()).toBe(2);
  });

  describe('after a kill -9 in the middle', () => {
    let process_: HeraldProcess | undefined;
    afterEach(() => process_?.kill9());

    it('sends the rest, keeps what has a result, and does not send twice what may have arrived', async () => {
      const people = [person];
      people.push(await subscribePerson(service, project, 'max'));
      for (const { subscriberId } of people) {
        await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'both' });
      }
      const port = String(await stablePort());
      process_ = await startSecondProcess(service, 'api', { PORT: port });
      const key = freshName('key');
      const call = (url: string) =>
        fetch(`${url}/v1/send`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${project.api_key}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify({ external_id: 'both', text: 'hello' }),
        });
      // The call takes effect, and its answer comes too late for the process to see it.
      await service.control.faults('telegram', {
        method: 'sendMessage',
        delay_ms: 60_000,
        user: person.name,
      });
      const lost = call(`http://127.0.0.1:${port}`).catch(() => null);
      await eventually(async () => {
        const { rows } = await service.pool.query<{ status: string; channel: string }>(
          'SELECT status, channel FROM messages WHERE project_id = $1',
          [project.id],
        );
        const of = (channel: string) => rows.find((row) => row.channel === channel)?.status;
        return of('telegram') === 'sending' && of('max') === 'sent';
      });
      await process_.kill9();
      await lost;
      await service.control.faults('telegram', { clear: true });

      expect((await call(service.url)).status).toBe(425);
      // No process extends the lease of a dead one; the test does not wait for its end.
      await service.pool.query(
        `UPDATE idempotency_keys SET leased_until = now() - interval '1 second' WHERE key = $1`,
        [key],
      );
      const second = await call(service.url);
      expect(second.status).toBe(200);
      const answer = (await second.json()) as { details: { channel: string }[] };
      expect(answer).toMatchObject({ sent: 1, failed: 1 });
      expect(answer.details.find((detail) => detail.channel === 'telegram')).toMatchObject({
        status: 'failed',
        reason: 'unknown',
      });
      await eventually(async () => (await hellos()) === 1);
      expect((await textsTo(service, people[1] as Person)).filter((text) => text === 'hello')).toHaveLength(
        1,
      );
      const events = await eventsOf(service, project, 'delivery.success', 'delivery.failed');
      expect(events.map((event) => event.name).sort()).toEqual(['delivery.failed', 'delivery.success']);
      expect(await (await call(service.url)).json()).toEqual(answer);
    });

    /** As a process leaves it that dies between the row and the call. */
    async function leaveUnbegun(key: string, more: Record<string, unknown> = {}): Promise<void> {
      await service.control.faults('telegram', { method: 'sendMessage', status: 500, user: person.name });
      expect((await send(key, more)).body).toMatchObject({ sent: 0, failed: 1 });
      await service.pool.query(
        `UPDATE messages SET status = 'queued', reason = NULL, ended_at = NULL WHERE project_id = $1`,
        [project.id],
      );
      await service.pool.query(
        `UPDATE idempotency_keys SET response_sealed = NULL, owner = gen_random_uuid(), leased_until = now() WHERE key = $1`,
        [key],
      );
    }

    it('sends a message that was never begun', async () => {
      const key = freshName('key');
      await leaveUnbegun(key);
      expect((await send(key)).body).toMatchObject({ sent: 1, failed: 0 });
      expect(await hellos()).toBe(1);
    });

    it('does not send it to a subscriber who has withdrawn the permission or unsubscribed meanwhile', async () => {
      const about = `/v1/subscribers/${person.subscriberId}`;
      const [key, permission] = [freshName('key'), 'news'];
      await project.api('PATCH', about, { permissions: [permission] });
      await leaveUnbegun(key, { permission });
      await project.api('PATCH', about, { permissions: [] });
      const details = (reason: string) => ({
        sent: 0,
        failed: 0,
        skipped: 1,
        details: [{ status: 'skipped', delivery_id: null, reason }],
      });
      const { body } = await send(key, { permission });
      expect(body).toMatchObject(details('permission_missing'));
      // It had been waiting, so it is in the log, where it ends as skipped.
      const log = await project.api('GET', `/v1/messages?subscriber_id=${person.subscriberId}&limit=1`);
      expect(log.body.data[0]).toMatchObject({ status: 'skipped', reason: 'permission_missing' });

      const later = freshName('key');
      await leaveUnbegun(later);
      await service.control.say(person.channel, person.name, '/stop');
      await eventually(async () => (await project.api('GET', about)).body.active === false);
      expect((await send(later)).body).toMatchObject(details('unsubscribed'));
      expect(await hellos()).toBe(0);
    });
  });
});
