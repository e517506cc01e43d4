import { temporal } from '@temporalio/proto';
import {
  changeRecurring,
  findRecurringById,
  lockRecurring,
} from '../../../src/domains/recurring/queries/recurring';
import { advance, runDue } from '../../../src/domains/recurring/runs';
import { localTimeAt } from '../../../src/base/contract/zones';
import { withTransaction } from '../../../src/base/db/pool';
import { searchAttributes, workflowIds } from '../../../src/base/temporal/names';
import { thenDue } from '../../support/agenda';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { expectError } from '../http/fixture';
import {
  addCrowd,
  blockBilling,
  eventsOf,
  subscribePerson,
  textsTo,
  untilBroadcast,
  withoutGrace,
} from '../messages/fixture';
import { recordHistory } from '../replay/fixture';
import { nextDoubledHour, type Run } from './fixture';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a recurring message', () => {
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    // Its own: the test runs what is due.
    service = await startTestService({ env: withoutGrace, queues: ['broadcasts'] });
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterAll(() => service.stop());

  const create = (body: object = {}) =>
    project.api('POST', '/v1/recurring', {
      name: 'Digest',
      content: { text: 'digest' },
      audience: {},
      cron: '0 9 * * MON',
      ...body,
    });
  const created = async (body: object = {}): Promise<string> => {
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body.recurring_id;
  };
  const get = async (id: string) => (await project.api('GET', `/v1/recurring/${id}`)).body;
  const runsOf = async (id: string): Promise<Run[]> =>
    (await project.api('GET', `/v1/recurring/${id}/runs`)).body.data;
  const rowOf = async (id: string) => (await findRecurringById(service.pool, id))!;
  const handleOf = (id: string) => service.client.workflow.getHandle(workflowIds.recurring(id));
  const ended = (id: string) =>
    eventually(async () => (await handleOf(id).describe()).status.name === 'COMPLETED');
  /** Its workflow waits for the row's time. */
  const asleep = (id: string) =>
    eventually(async () => {
      const described = await handleOf(id).describe();
      const { events } = await handleOf(id).fetchHistory();
      const { EVENT_TYPE_TIMER_STARTED } = temporal.api.enums.v1.EventType;
      const isAsleep =
        described.status.name === 'RUNNING' && events?.at(-1)?.eventType === EVENT_TYPE_TIMER_STARTED;
      return isAsleep ? described : null;
    });
  /** Makes an occurrence due without the workflow's knowledge; the agenda wakes the workflow now, or in an hour. */
  const comeDue = (id: string, at: Date, wake: 'now' | 'later' = 'now') =>
    service.pool.query(
      thenDue(
        'recurring',
        'UPDATE recurring SET next_at = $2, revision = revision + 1 WHERE id = $1',
        'now() + $3::interval',
      ),
      [id, at, wake === 'now' ? '0' : '1 hour'],
    );
  const wake = async (id: string) => comeDue(id, (await rowOf(id)).next_at!);
  const runDueNow = (id: string) => runDue(service.service.core, id);
  const lastMinute = () => new Date(Math.floor(Date.now() / MINUTE) * MINUTE);
  const dailyAt = (at: Date) => `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;

  it('has a workflow that waits for its next occurrence, also after it was terminated by hand', async () => {
    const answer = await create({ timezone: 'Europe/Berlin', start_at: '2026-01-01T00:00:00Z', max_runs: 5 });
    expect(answer.body).toEqual({
      recurring_id: expect.any(String),
      name: 'Digest',
      content: { text: 'digest' },
      audience: {},
      cron: '0 9 * * MON',
      timezone: 'Europe/Berlin',
      start_at: '2026-01-01T00:00:00.000+00:00',
      end_at: null,
      max_runs: 5,
      status: 'active',
      next_run_at: expect.stringMatching(/T0[78]:00:00\.000\+00:00$/),
      last_run_at: null,
      runs: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const id = answer.body.recurring_id;
    const { typedSearchAttributes: shown, runId } = await asleep(id);
    expect(shown.get(searchAttributes.State)).toBe('active');
    expect(shown.get(searchAttributes.NextAt)).toEqual(new Date(answer.body.next_run_at));

    await handleOf(id).terminate('by hand');
    await wake(id);
    expect((await asleep(id)).runId).not.toBe(runId);

    const patch = async (body: object) => (await project.api('PATCH', `/v1/recurring/${id}`, body)).body;
    expect(await patch({ status: 'paused', cron: '30 10 * * *' })).toMatchObject({
      status: 'paused',
      next_run_at: null,
      cron: '30 10 * * *',
    });
    await ended(id);
    const { next_run_at } = await patch({ status: 'active' });
    const resumed = await asleep(id);
    expect(resumed.typedSearchAttributes.get(searchAttributes.NextAt)).toEqual(new Date(next_run_at));
    expect((await project.api('DELETE', `/v1/recurring/${id}`)).status).toBe(204);
    expectError(await project.api('GET', `/v1/recurring/${id}`), 'not_found');
    await ended(id);
  });

  it('loses no occurrence that came while its workflow was gone, and runs it once', async () => {
    const anna = await subscribePerson(service, project);
    const at = lastMinute();
    const id = await created({ cron: dailyAt(at), content: { text: 'in time' } });
    await asleep(id);
    expect(await runsOf(id)).toEqual([]);
    await handleOf(id).terminate('by hand');
    await comeDue(id, at);
    const run = await eventually(async () => (await runsOf(id))[0]);
    expect([Date.parse(run.scheduled_for), run.reason]).toEqual([at.getTime(), null]);
    await eventually(async () => (await textsTo(service, anna)).includes('in time'));
    await wake(id);
    await asleep(id);
    expect(await runsOf(id)).toHaveLength(1);
    // Times that change do not reach back before their change.
    const other = lastMinute();
    const patched = await project.api('PATCH', `/v1/recurring/${id}`, {
      cron: `${other.getUTCMinutes()} ${other.getUTCHours()} * * ${other.getUTCDay()}`,
    });
    expect(patched.status).toBe(200);
    expect(Date.parse(patched.body.next_run_at)).toBeGreaterThan(Date.now());
    await asleep(id);
    expect(await runsOf(id)).toHaveLength(1);
  });

  it.each(['Europe/Berlin', 'Europe/London', 'Australia/Sydney', 'America/New_York'])(
    'of a time that %s shows twice waits for the first, and has no second to skip',
    async (timezone) => {
      const hour = nextDoubledHour(timezone);
      const first = new Date(hour.getTime() + 30 * MINUTE);
      const second = new Date(first.getTime() + HOUR).toISOString();
      const cron = `30 ${localTimeAt(hour, timezone).hour} * * *`;
      const id = await created({ cron, timezone, start_at: hour.toISOString() });
      expect(Date.parse((await get(id)).next_run_at)).toBe(first.getTime());
      const { typedSearchAttributes: shown } = await asleep(id);
      expect(shown.get(searchAttributes.NextAt)).toEqual(first);
      const skip = (body: object) => project.api('POST', `/v1/recurring/${id}/skip`, body);
      expectError(await skip({ at: second }), 'validation_failed', /^at: /);
      // Once the first is claimed, the next day follows.
      const { body } = await skip({});
      const hours = (Date.parse(body.next_run_at) - first.getTime()) / HOUR;
      expect(hours).toBe(25);
    },
  );

  it('has a skipped run for every occurrence of an outage, each once, and then runs', async () => {
    const at = lastMinute();
    const hoursAgo = (hours: number) => new Date(at.getTime() - hours * HOUR);
    const cron = `${at.getUTCMinutes()} ${[3, 2, 1, 0].map((hours) => hoursAgo(hours).getUTCHours()).join()} * * *`;
    const end_at = new Date(at.getTime() + 72 * HOUR).toISOString();
    const [running, over, paused] = [
      await created({ cron }),
      await created({ cron, end_at }),
      await created({ cron, end_at }),
    ];
    await project.api('PATCH', `/v1/recurring/${paused}`, { status: 'paused' });
    for (const id of [running, over, paused]) await asleep(id);
    // The service was stopped for four hours, and the end of two of them came meanwhile.
    await service.pool.query('UPDATE recurring SET end_at = $2 WHERE id = ANY ($1)', [
      [over, paused],
      hoursAgo(2),
    ]);
    for (const id of [running, over]) await comeDue(id, hoursAgo(3));
    await comeDue(paused, hoursAgo(2));
    const missed = (hours: number) => ({
      scheduled_for: hoursAgo(hours).toISOString().replace('Z', '+00:00'),
      status: 'skipped',
      reason: 'missed',
    });
    await asleep(running);
    const runs = await eventually(async () => {
      const found = await runsOf(running);
      return found.length > 3 ? found : null;
    });
    expect(runs).toMatchObject([{ reason: 'empty_audience' }, missed(1), missed(2), missed(3)]);
    expect(Date.parse(runs[0]?.scheduled_for ?? '')).toBe(at.getTime());
    for (const id of [over, paused]) await ended(id);
    expect(await runsOf(over)).toMatchObject([missed(2), missed(3)]);
    expect(await get(over)).toMatchObject({ status: 'ended' });
    expect(await runsOf(paused)).toEqual([]);
    expect(await get(paused)).toMatchObject({ status: 'ended' });
    // Not even after retention has removed the runs are they recorded again.
    expect(await runDueNow(running)).toMatchObject({ status: 'active' });
    expect(await runsOf(running)).toHaveLength(4);
    await service.pool.query('DELETE FROM recurring_runs WHERE recurring_id = $1', [running]);
    await runDueNow(running);
    expect(await runsOf(running)).toEqual([]);
  });

  it('can be changed while its last occurrence is due, which then runs', async () => {
    const at = lastMinute();
    const cron = dailyAt(at);
    const id = await created({ cron });
    await asleep(id);
    await service.pool.query('UPDATE recurring SET end_at = now() WHERE id = $1', [id]);
    await comeDue(id, at, 'later');
    const patch = (body: object) => project.api('PATCH', `/v1/recurring/${id}`, body);
    expectError(
      await patch({ timezone: 'Asia/Tokyo' }),
      'validation_failed',
      /^end_at: leaves no occurrence/,
    );
    const renamed = await patch({ name: 'Last one', max_runs: 5, cron });
    expect([renamed.status, renamed.body]).toMatchObject([
      200,
      { name: 'Last one', status: 'active', max_runs: 5 },
    ]);
    const run = await eventually(async () => (await runsOf(id))[0]);
    expect(Date.parse(run.scheduled_for)).toBe(at.getTime());
    await ended(id);
    expect((await get(id)).status).toBe('ended');
  });

  it.each<[object, RegExp]>([
    [{ name: '' }, /^name: /],
    [{ audience: undefined }, /^audience: /],
    [{ cron: 'daily' }, /^cron: must have five fields/],
    [{ cron: '0 0 1 * MON' }, /^cron: cannot restrict both/],
    [{ cron: '61 * * * *' }, /^cron: has a wrong minute/],
    [{ timezone: 'recipient' }, /^timezone: /],
    [{ end_at: '2020-01-01T00:00:00Z' }, /^end_at: leaves no occurrence/],
    [{ start_at: '9999-12-31T23:59:59Z' }, /^start_at: leaves no occurrence/],
    [{ start_at: '2030-01-02T00:00:00Z', end_at: '2030-01-01T00:00:00Z' }, /^end_at: must be after/],
    [{ max_runs: 0 }, /^max_runs: /],
  ])('is refused with its reason: %j', async (body, error) => {
    expectError(await create(body), 'validation_failed', error);
  });

  it('runs at its time, once, as a broadcast with its event', async () => {
    const anna = await subscribePerson(service, project);
    // A time that has just been: the next one is a day away, however long the test takes.
    const at = lastMinute();
    const id = await created({ cron: dailyAt(at) });
    await asleep(id);
    await comeDue(id, at);
    const run = await eventually(async () => (await runsOf(id)).find(({ status }) => status === 'completed'));
    expect(Date.parse(run.scheduled_for)).toBe(at.getTime());
    await untilBroadcast(project, run.job_id ?? '', 'completed');
    expect((await textsTo(service, anna)).filter((text) => text === 'digest')).toHaveLength(1);
    expect((await eventsOf(service, project, 'recurring.sent'))[0]?.data).toMatchObject({
      recurring_id: id,
      name: 'Digest',
      run_id: run.run_id,
      job_id: run.job_id,
      scheduled_for: run.scheduled_for,
      sent: 1,
      total: 1,
    });
    // Claimed before: whatever starts it again, nothing happens.
    await comeDue(id, at, 'later');
    await Promise.all([runDueNow(id), runDueNow(id)]);
    expect(await runsOf(id)).toHaveLength(1);
    expect(await get(id)).toMatchObject({ runs: 1, last_run_at: run.scheduled_for, status: 'active' });
    expect(Date.parse((await get(id)).next_run_at) - at.getTime()).toBe(24 * HOUR);
    await project.api('DELETE', `/v1/recurring/${id}`);
    await ended(id);
    await recordHistory(handleOf(id), 'recurring', 'ran');
  });

  it('by hand runs now, also while it is paused, and ends after max_runs', async () => {
    const { name: user } = await subscribePerson(service, project);
    const id = await created({ max_runs: 2 });
    await project.api('PATCH', `/v1/recurring/${id}`, { status: 'paused' });
    const runNow = () => project.api('POST', `/v1/recurring/${id}/run`);
    // The message of the first run waits in the messenger until the second run has begun.
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 60_000, user });
    const first = await runNow();
    expect([first.status, first.body]).toEqual([202, { run_id: expect.any(String) }]);
    const overlapping = await runNow();
    await service.control.faults('telegram', { clear: true });
    const ended = await eventually(async () => {
      const runs = await runsOf(id);
      return runs.some(({ status }) => status === 'completed') && runs;
    });
    expect(ended).toEqual([
      expect.objectContaining({ run_id: overlapping.body.run_id, status: 'skipped', reason: 'overlap' }),
      expect.objectContaining({ run_id: first.body.run_id, status: 'completed', reason: null }),
    ]);
    expect((await runNow()).status).toBe(202);
    expect(await get(id)).toMatchObject({ status: 'ended', runs: 2, next_run_at: null });
    expectError(await runNow(), 'conflict');
    for (const body of [{ status: 'active' }, { content: { template: 'nothing' } }]) {
      expectError(await project.api('PATCH', `/v1/recurring/${id}`, body), 'conflict');
    }
    expectError(await project.api('POST', `/v1/recurring/${id}/skip`), 'conflict');
  });

  it('run by hand, sends a change that commits while the run is prepared', async () => {
    const person = await subscribePerson(service, project);
    const id = await created();
    // Awake, it would lock the row with the query that is awaited below.
    await asleep(id);
    const started = await withTransaction(service.pool, async (db) => {
      const row = await lockRecurring(db, id);
      const content = { text: 'changed', format: 'plain' as const, buttons: [] };
      const changed = await changeRecurring(db, id, { ...row!, content });
      await advance(db, { ...changed, now: row!.now }, 'request');
      const running = project.api('POST', `/v1/recurring/${id}/run`);
      // The run has read the old content, and waits for the row.
      await eventually(async () => {
        const { rows } = await service.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%FROM recurring WHERE id = $1%FOR UPDATE%'`,
        );
        return rows.length > 0;
      });
      return { running };
    });
    const { status, body } = await started.running;
    expect(status).toBe(202);
    const [run, ...others] = await runsOf(id);
    expect([run?.run_id, others]).toEqual([body.run_id, []]);
    await untilBroadcast(project, run?.job_id ?? '', 'completed');
    const texts = await textsTo(service, person);
    expect(texts).toContain('changed');
    expect(texts).not.toContain('digest');
  });

  it('has ended as soon as no occurrence is left', async () => {
    const at = new Date(lastMinute().getTime() + 24 * 60 * MINUTE);
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    const end_at = new Date(at.getTime() + MINUTE).toISOString();
    await project.api('POST', '/v1/templates', { key: 'last', variants: { en: { text: 'x' } } });
    const content = { template: 'last' };
    const [past, skipped] = [await created({ cron, end_at }), await created({ cron, end_at, content })];
    await asleep(past);
    // Its only occurrence was a minute ago.
    await service.pool.query('UPDATE recurring SET end_at = now() WHERE id = $1', [past]);
    const last = new Date(at.getTime() - 24 * HOUR);
    await comeDue(past, last, 'later');
    expect((await get(past)).status).toBe('active');
    expect(await runDueNow(past)).toMatchObject({ status: 'ended', nextAt: null });
    expect(await runsOf(past)).toMatchObject([{ status: 'skipped', reason: 'empty_audience' }]);
    const answer = await project.api('POST', `/v1/recurring/${skipped}/skip`);
    expect(answer.body).toMatchObject({ status: 'ended', next_run_at: null });
    // It counts as open no longer.
    expect((await project.api('DELETE', '/v1/templates/last')).status).toBe(204);
    expect([(await rowOf(past)).status, (await rowOf(skipped)).status]).toEqual(['ended', 'ended']);
    for (const id of [past, skipped]) {
      expect(await get(id)).toMatchObject({ status: 'ended', next_run_at: null });
      expectError(await project.api('POST', `/v1/recurring/${id}/run`), 'conflict');
      expectError(await project.api('PATCH', `/v1/recurring/${id}`, { end_at: null }), 'conflict');
    }
    await ended(skipped);
  });

  it("without a zone of its own takes the project's, as it is at the request", async () => {
    await project.api('PATCH', '/v1/project', { timezone: 'Asia/Tokyo' });
    const { body } = await create({ cron: '0 9 * * *' });
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo', next_run_at: expect.stringMatching(/T00:00:00/) });
  });

  it('leaves out what was skipped by request', async () => {
    const id = await created({ cron: dailyAt(lastMinute()) });
    const before = await get(id);
    const skipped = await project.api('POST', `/v1/recurring/${id}/skip`);
    expect(skipped.status).toBe(200);
    const day = 24 * 60 * MINUTE;
    expect(Date.parse(skipped.body.next_run_at) - Date.parse(before.next_run_at)).toBe(day);
    const skip = (at: string) => project.api('POST', `/v1/recurring/${id}/skip`, { at });
    expectError(await skip(before.next_run_at), 'conflict');
    const other = new Date(Date.parse(before.next_run_at) + MINUTE).toISOString();
    expectError(await skip(other), 'validation_failed', /^at: /);
    const third = new Date(Date.parse(before.next_run_at) + 2 * day).toISOString();
    expect((await skip(third)).body.next_run_at).toBe(skipped.body.next_run_at);
    expect(await runsOf(id)).toMatchObject([
      { scheduled_for: third.replace('Z', '+00:00'), status: 'skipped', reason: 'by_request' },
      { scheduled_for: before.next_run_at, status: 'skipped', reason: 'by_request' },
    ]);
  });

  it('skips a run with its reason', async () => {
    // A minute that has just been: the next one is almost an hour away.
    const at = lastMinute();
    const id = await created({ cron: `${at.getUTCMinutes()} * * * *` });
    await asleep(id);
    const runAgain = async () => {
      await service.pool.query('DELETE FROM recurring_runs WHERE recurring_id = $1', [id]);
      await comeDue(id, at, 'later');
      await runDueNow(id);
      return runsOf(id);
    };
    const skipped = (reason: string) => [{ status: 'skipped', reason, job_id: null }];
    expect(await runAgain()).toMatchObject(skipped('empty_audience'));
    const { name: user } = await subscribePerson(service, project);
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 60_000, user });
    const { body: sending } = await project.api('POST', `/v1/recurring/${id}/run`);
    await service.pool.query(`DELETE FROM recurring_runs WHERE recurring_id = $1 AND status = 'skipped'`, [
      id,
    ]);
    // The workflow, which the request has woken, may be first.
    await comeDue(id, at, 'later');
    await runDueNow(id);
    expect(await runsOf(id)).toMatchObject([{ run_id: sending.run_id }, ...skipped('overlap')]);
    await service.control.faults('telegram', { clear: true });
    await eventually(async () => (await runsOf(id)).some(({ status }) => status === 'completed'));
    await blockBilling(service, project);
    expect(await runAgain()).toMatchObject(skipped('billing_blocked'));
    await project.api('PATCH', `/v1/recurring/${id}`, { status: 'paused' });
    expect(await runAgain()).toEqual([]);
    expect(await eventsOf(service, project, 'recurring.sent')).toHaveLength(1);
  });

  it('sends what it is at its time: the content, audience and template of the moment', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags: ['vip'] });
    await project.api('POST', '/v1/templates', { key: 'weekly', variants: { en: { text: 'old' } } });
    expectError(await create({ content: { template: 'none' } }), 'not_found', /^content\.template: /);
    const id = await created({ max_runs: 1 });
    const changes = { content: { template: 'weekly' }, audience: { tags_all: ['vip'] }, max_runs: 2 };
    const changed = await project.api('PATCH', `/v1/recurring/${id}`, changes);
    expect(changed.body).toMatchObject(changes);
    expect(changed.body.audience).toEqual(changes.audience);
    await project.api('PUT', '/v1/templates/weekly', { variants: { en: { text: 'new' } } });
    await project.api('POST', `/v1/recurring/${id}/run`);
    await eventually(async () => (await runsOf(id))[0]?.status === 'completed');
    expect((await textsTo(service, anna)).at(-1)).toBe('new');
    expect(await textsTo(service, ben)).not.toContain('new');
    // One more is left.
    expect(await get(id)).toMatchObject({ status: 'active', runs: 1 });
  });

  it('whose broadcast is cancelled has a failed run, without its event', async () => {
    await addCrowd(service, project, 'telegram', 500);
    const id = await created();
    await project.api('POST', `/v1/recurring/${id}/run`);
    const [run] = await runsOf(id);
    expect((await project.api('DELETE', `/v1/broadcast/${run?.job_id}`)).status).toBe(200);
    await eventually(async () => (await runsOf(id))[0]?.status === 'failed');
    expect(await runsOf(id)).toMatchObject([{ run_id: run?.run_id, reason: 'cancelled' }]);
    expect(await eventsOf(service, project, 'recurring.sent')).toEqual([]);
  });

  it('shares the limit of 100 entries by default, also under concurrency', async () => {
    await service.pool.query(
      `INSERT INTO scheduled (id, project_id, content, external_id, scheduled_at, next_at)
       SELECT gen_random_uuid(), $1, '{}', 'a', 'x', now() + interval '1 year' FROM generate_series(1, 98)`,
      [project.id],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  });

  it('shares the limit of scheduled messages, and keeps its template', async () => {
    await service.pool.query('UPDATE projects SET scheduled_entries = 2 WHERE id = $1', [project.id]);
    await project.api('POST', '/v1/templates', { key: 'weekly', variants: { en: { text: 'x' } } });
    await created({ content: { template: 'weekly' } });
    expectError(await project.api('DELETE', '/v1/templates/weekly'), 'conflict', /recurring/);
    const scheduled = {
      content: { text: 'x' },
      external_id: 'a',
      scheduled_at: new Date(Date.now() + 60 * MINUTE).toISOString(),
    };
    expect((await project.api('POST', '/v1/scheduled', scheduled)).status).toBe(201);
    expectError(await create(), 'conflict');
    expectError(await project.api('POST', '/v1/scheduled', scheduled), 'conflict');
  });
});
