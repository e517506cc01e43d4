import type { ScheduleDescription } from '@temporalio/client';
import { changeRecurring, findRecurringById, lockRecurring } from '../../../src/broadcasts/recurring/queries';
import { runOccurrence } from '../../../src/broadcasts/recurring/runs';
import { syncSchedule } from '../../../src/broadcasts/recurring/schedule';
import { startDue, syncRow } from '../../../src/broadcasts/recurring/sync';
import { localTimeAt } from '../../../src/contract/zones';
import { withTransaction } from '../../../src/db/pool';
import { compareSchedules, syncSchedules } from '../../../src/operations/recurring-schedules';
import { workflowIds } from '../../../src/temporal/names';
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

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The next hour that the zone's clock shows twice: when it begins for the first time. */
function nextDoubledHour(zone: string): Date {
  const shown = (at: number) => {
    const { year, month, day, hour, minute } = localTimeAt(new Date(at), zone);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  // Two hours ahead, so that it has not come when the test ends.
  let at = Math.ceil(Date.now() / HOUR) * HOUR + 2 * HOUR;
  while (shown(at + HOUR) !== shown(at)) at += HOUR;
  return new Date(at);
}

interface Run {
  run_id: string;
  scheduled_for: string;
  status: string;
  reason: string | null;
  job_id: string | null;
}

describe('a recurring message', () => {
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    service = await startTestService({ env: withoutGrace });
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
  const scheduleOf = (id: string) => service.client.schedule.getHandle(workflowIds.recurring(id));
  const described = (id: string, accept: (found: ScheduleDescription) => unknown = () => true) =>
    eventually(async () => {
      const found = await scheduleOf(id).describe();
      return accept(found) ? found : null;
    });
  const sync = (id: string) => service.pool.query('UPDATE recurring SET sync_at = now() WHERE id = $1', [id]);
  const synced = (id: string) =>
    eventually(async () => {
      const { rows } = await service.pool.query<{ done: boolean }>(
        `SELECT sync_at IS NULL OR sync_at > now() + interval '20 seconds' AS done FROM recurring WHERE id = $1`,
        [id],
      );
      return rows[0]?.done;
    });
  const occurrence = (id: string, at: Date) => runOccurrence(service.service.core, id, at);
  const lastMinute = () => new Date(Math.floor(Date.now() / MINUTE) * MINUTE);

  it('has a schedule that is a copy of its row, whatever is done to it by hand', async () => {
    const answer = await create({ timezone: 'Europe/Berlin', start_at: '2026-01-01T00:00:00Z', max_runs: 5 });
    expect(answer.body).toEqual({
      recurring_id: expect.any(String),
      name: 'Digest',
      content: { text: 'digest', format: 'plain', buttons: [] },
      audience: { tags_all: [], tags_any: [], exclude_tags: [] },
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
    const schedule = await described(id);
    expect(schedule.state).toMatchObject({ paused: false, note: 'revision 1' });
    expect(schedule.info.nextActionTimes[0]?.toISOString()).toBe(
      new Date(answer.body.next_run_at).toISOString(),
    );
    await synced(id);

    await scheduleOf(id).pause('by hand');
    await sync(id);
    await described(id, ({ state }) => !state.paused && state.note === 'revision 1');
    await synced(id);
    await scheduleOf(id).update((before) => ({
      ...before,
      spec: { calendars: [{ hour: 3 }], timezone: 'UTC' },
    }));
    await sync(id);
    await described(
      id,
      ({ info }) => info.nextActionTimes[0]?.getTime() === Date.parse(answer.body.next_run_at),
    );
    await synced(id);
    await scheduleOf(id).delete();
    await sync(id);
    const again = await described(id);
    // Compared once more, it is left alone.
    await synced(id);
    await sync(id);
    await synced(id);
    expect((await described(id)).info.lastUpdatedAt).toEqual(again.info.lastUpdatedAt);

    const paused = await project.api('PATCH', `/v1/recurring/${id}`, {
      status: 'paused',
      cron: '30 10 * * *',
    });
    expect(paused.body).toMatchObject({ status: 'paused', next_run_at: null, cron: '30 10 * * *' });
    await described(id, ({ state }) => state.paused && state.note === 'revision 2');
    expect((await project.api('DELETE', `/v1/recurring/${id}`)).status).toBe(204);
    expectError(await project.api('GET', `/v1/recurring/${id}`), 'not_found');
    await eventually(async () =>
      scheduleOf(id)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    );
  });

  const deleted = (id: string) =>
    eventually(() =>
      scheduleOf(id)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    );
  const rowOf = async (id: string) => (await findRecurringById(service.pool, id))!;

  it('loses no occurrence that came before its schedule was written, and runs it once', async () => {
    const anna = await subscribePerson(service, project);
    const at = lastMinute();
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    const id = await created({ cron, content: { text: 'in time' } });
    await described(id);
    await synced(id);
    expect(await runsOf(id)).toEqual([]);
    // The row was committed before the occurrence; the relay comes to write its schedule only now.
    await scheduleOf(id).delete();
    await service.pool.query(
      `UPDATE recurring SET planned_at = now() - interval '10 minutes', sync_at = now() WHERE id = $1`,
      [id],
    );
    const run = await eventually(async () => (await runsOf(id))[0]);
    expect([Date.parse(run.scheduled_for), run.reason]).toEqual([at.getTime(), null]);
    await eventually(async () => (await textsTo(service, anna)).includes('in time'));
    await sync(id);
    await synced(id);
    expect(await runsOf(id)).toHaveLength(1);
    // A plan that changes does not reach back before its change.
    const other = lastMinute();
    const patched = await project.api('PATCH', `/v1/recurring/${id}`, {
      cron: `${other.getUTCMinutes()} ${other.getUTCHours()} * * ${other.getUTCDay()}`,
    });
    expect(patched.status).toBe(200);
    await described(id, ({ state }) => state.note === 'revision 2');
    await synced(id);
    expect(await runsOf(id)).toHaveLength(1);
  });

  /** A daily message at half past the doubled hour, from that day on. */
  const createdDoubled = async (timezone: string, body: object = {}) => {
    const hour = nextDoubledHour(timezone);
    const first = new Date(hour.getTime() + 30 * MINUTE);
    const cron = `30 ${localTimeAt(hour, timezone).hour} * * *`;
    const id = await created({ cron, timezone, start_at: hour.toISOString(), ...body });
    return { id, first, second: new Date(first.getTime() + HOUR) };
  };

  it.each<[string, ('first' | 'second')[]]>([
    ['Europe/Berlin', ['second']],
    ['Europe/London', ['second']],
    ['Australia/Sydney', ['second']],
    ['America/New_York', ['first', 'second']],
  ])(
    'of a time that %s shows twice is due at the first; its schedule starts it at %j',
    async (zone, names) => {
      const { id, ...times } = await createdDoubled(zone);
      expect(Date.parse((await get(id)).next_run_at)).toBe(times.first.getTime());
      const { nextActionTimes } = (await described(id)).info;
      expect(nextActionTimes.filter((at) => at <= times.second)).toEqual(names.map((name) => times[name]));
      // On the next day the two agree.
      const { body } = await project.api('POST', `/v1/recurring/${id}/skip`);
      const following = nextActionTimes.find((at) => at > times.second);
      expect(new Date(body.next_run_at)).toEqual(following);
    },
  );

  it('runs once at a local time that occurs twice, although its schedule starts it at the second', async () => {
    const anna = await subscribePerson(service, project);
    const { id, first, second } = await createdDoubled('Europe/Berlin', { content: { text: 'once' } });
    await described(id);
    await synced(id);
    // As the relay compares it a minute after the first.
    const { core } = service.service;
    await startDue(core, await rowOf(id), new Date(first.getTime() + MINUTE));
    const run = await eventually(async () => (await runsOf(id)).find(({ status }) => status === 'completed'));
    expect(Date.parse(run.scheduled_for)).toBe(first.getTime());
    expect(await occurrence(id, second)).toEqual({ status: 'ignored', reason: null });
    const started = service.client.workflow.getHandle(workflowIds.recurringRunAt(id, first));
    await started.result();
    const { runId } = await started.describe();
    await startDue(core, await rowOf(id), new Date(second.getTime() - MINUTE));
    expect((await started.describe()).runId).toBe(runId);
    expect(await runsOf(id)).toHaveLength(1);
    expect((await textsTo(service, anna)).filter((text) => text === 'once')).toHaveLength(1);
    await recordHistory(started, 'recurring-run', 'started-by-the-relay');
  });

  it('has a skipped run for every occurrence of an outage, each once, and then runs', async () => {
    // Longer ago than the relay leaves the start to the schedule.
    const at = new Date(lastMinute().getTime() - 2 * MINUTE);
    const hoursAgo = (hours: number) => new Date(at.getTime() - hours * HOUR);
    const cron = `${at.getUTCMinutes()} ${[3, 2, 1, 0].map((hours) => hoursAgo(hours).getUTCHours()).join()} * * *`;
    const end_at = new Date(at.getTime() + 72 * HOUR).toISOString();
    const [running, over, paused] = [
      await created({ cron }),
      await created({ cron, end_at }),
      await created({ cron }),
    ];
    await project.api('PATCH', `/v1/recurring/${paused}`, { status: 'paused' });
    for (const id of [running, over, paused]) await described(id);
    for (const id of [running, over, paused]) await synced(id);
    // The service was away since four hours ago, and the end of one of them came meanwhile.
    await service.pool.query(
      `UPDATE recurring SET planned_at = $2, end_at = CASE WHEN id = $3 THEN $4::timestamptz END,
         sync_at = now() + interval '1 hour' WHERE project_id = $1`,
      [project.id, hoursAgo(4), over, hoursAgo(2)],
    );
    const { core } = service.service;
    const compare = async (id: string) => syncRow(core, await rowOf(id));
    for (const id of [running, over, paused]) await compare(id);
    const missed = (hours: number) => ({
      scheduled_for: hoursAgo(hours).toISOString().replace('Z', '+00:00'),
      status: 'skipped',
      reason: 'missed',
    });
    const runs = await eventually(async () => {
      const found = await runsOf(running);
      return found.length > 3 ? found : null;
    });
    expect(runs).toMatchObject([{ reason: 'empty_audience' }, missed(1), missed(2), missed(3)]);
    expect(Date.parse(runs[0]?.scheduled_for ?? '')).toBe(at.getTime());
    expect(await runsOf(over)).toMatchObject([missed(2), missed(3)]);
    expect(await get(over)).toMatchObject({ status: 'ended' });
    expect(await runsOf(paused)).toEqual([]);
    // Settled: not even after retention has removed the runs are they recorded again.
    await compare(running);
    expect(await runsOf(running)).toHaveLength(4);
    await service.pool.query('DELETE FROM recurring_runs WHERE recurring_id = $1', [running]);
    await compare(running);
    expect(await runsOf(running)).toEqual([]);
  });

  it('can be changed while its last occurrence is due, which then runs', async () => {
    // Longer ago than the relay leaves the start to the schedule.
    const at = new Date(lastMinute().getTime() - 2 * MINUTE);
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    const id = await created({ cron });
    await described(id);
    await synced(id);
    await service.pool.query(
      `UPDATE recurring SET end_at = now(), planned_at = now() - interval '10 minutes', sync_at = now() + interval '1 hour'
       WHERE id = $1`,
      [id],
    );
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
    await eventually(async () => (await get(id)).status === 'ended');
  });

  it('leaves no schedule behind, whichever of two relays writes last', async () => {
    const id = await created();
    await described(id);
    await synced(id);
    const stale = await rowOf(id);
    await project.api('DELETE', `/v1/recurring/${id}`);
    await deleted(id);
    await synced(id);
    // A relay that had read the row before its end creates the schedule after it was deleted, and dies.
    const { client, queues } = service.service.core;
    expect(await syncSchedule(client, queues, stale)).toBe('created');
    const { rows } = await service.pool.query<{ sync_at: Date | null }>(
      'SELECT sync_at FROM recurring WHERE id = $1',
      [id],
    );
    expect(rows[0]?.sync_at).not.toBeNull();
    await sync(id);
    await deleted(id);
    // One that does not die has the row compared again, even long after its end.
    await service.pool.query(
      `UPDATE recurring SET ended_at = now() - interval '2 minutes', sync_at = NULL WHERE id = $1`,
      [id],
    );
    expect(await syncRow(service.service.core, stale)).toBe('created');
    await deleted(id);
  });

  it('is repaired with a warning, whatever note the operator left', async () => {
    const { core } = service.service;
    const warnings: string[] = [];
    const warn = (_: object, text: string) => void warnings.push(text);
    const id = await created();
    await described(id);
    await synced(id);
    // No relay repairs it meanwhile, and it is old enough to have had a schedule.
    await service.pool.query(
      `UPDATE recurring SET created_at = now() - interval '2 minutes', sync_at = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    const log = Object.assign(Object.create(core.log) as typeof core.log, { warn });
    const syncNow = async () => syncRow({ ...core, log }, await rowOf(id));
    await scheduleOf(id).pause('maintenance');
    expect(await syncNow()).toBe('repaired');
    await scheduleOf(id).delete();
    expect(await syncNow()).toBe('created');
    expect(warnings).toEqual([
      'a schedule differed from its row and was repaired',
      'a schedule was missing and was created from its row',
    ]);
    expect(await syncNow()).toBe('same');
    expect(warnings).toHaveLength(2);
  });

  it('is compared with its schedule by field, and synchronized on demand, orphans too', async () => {
    const { core } = service.service;
    const [changed, gone, orphan] = [await created(), await created(), await created()];
    for (const id of [changed, gone, orphan]) await described(id);
    for (const id of [changed, gone, orphan]) await synced(id);
    // No relay repairs them meanwhile.
    await service.pool.query(
      `UPDATE recurring SET updated_at = now() - interval '2 minutes', sync_at = now() + interval '1 hour' WHERE project_id = $1`,
      [project.id],
    );
    await scheduleOf(changed).update((found) => ({
      ...found,
      spec: { ...found.spec, timezone: 'Asia/Tokyo' },
      state: { ...found.state, paused: true },
    }));
    await scheduleOf(gone).delete();
    await service.pool.query(
      `UPDATE recurring SET status = 'ended', ended_at = now() - interval '1 day', sync_at = NULL WHERE id = $1`,
      [orphan],
    );
    const found = await eventually(async () => {
      const compared = await compareSchedules(core);
      return compared.orphans.length > 0 ? compared : null;
    });
    expect(found.different).toEqual(
      expect.arrayContaining([
        { id: workflowIds.recurring(changed), fields: ['paused', 'time zone'] },
        { id: workflowIds.recurring(gone), fields: ['is missing'] },
      ]),
    );
    expect(found.orphans).toContain(workflowIds.recurring(orphan));
    const done = await syncSchedules(core);
    expect(Math.min(done.created, done.repaired, done.orphans_deleted)).toBeGreaterThan(0);
    await deleted(orphan);
    const after = await compareSchedules(core);
    expect(after.different.map(({ id }) => id)).not.toContain(workflowIds.recurring(changed));
    expect(after.different.map(({ id }) => id)).not.toContain(workflowIds.recurring(gone));
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

  it('runs at the times of its schedule, each once, as a broadcast with its event', async () => {
    const anna = await subscribePerson(service, project);
    // A time that has just been: the next one is a day away, however long the test takes.
    const at = lastMinute();
    const id = await created({ cron: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *` });
    await described(id);
    await scheduleOf(id).backfill({
      start: new Date(at.getTime() - 1_000),
      end: new Date(at.getTime() + 1_000),
      overlap: 'ALLOW_ALL',
    });
    const run = await eventually(async () => (await runsOf(id)).find(({ status }) => status === 'completed'));
    expect(run.scheduled_for).toMatch(/:00\.000\+00:00$/);
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
    expect(await occurrence(id, new Date(run.scheduled_for))).toEqual({ status: 'ignored', reason: null });
    expect(await get(id)).toMatchObject({ runs: expect.any(Number), last_run_at: run.scheduled_for });
    const { workflowId } = await eventually(async () => {
      const { value } = await service.client.workflow
        .list({ query: `WorkflowType = 'recurringRun' AND ExecutionStatus = 'Completed'` })
        [Symbol.asyncIterator]()
        .next();
      return value as { workflowId: string } | undefined;
    });
    await recordHistory(service.client.workflow.getHandle(workflowId), 'recurring-run', 'claimed');
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
    await described(id);
    await synced(id);
    // The relay would lock the row with the query that is awaited below.
    await service.pool.query(`UPDATE recurring SET sync_at = now() + interval '1 hour' WHERE id = $1`, [id]);
    const started = await withTransaction(service.pool, async (db) => {
      const row = await lockRecurring(db, id);
      const content = { text: 'changed', format: 'plain' as const, buttons: [] };
      await changeRecurring(db, id, { ...row!, content });
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
    // Its only occurrence was a minute ago, has run, and no relay has seen it since.
    await service.pool.query(
      `UPDATE recurring SET end_at = now(), planned_at = now() - interval '10 minutes', sync_at = now() + interval '1 hour'
       WHERE id = $1`,
      [past],
    );
    expect(await get(past)).toMatchObject({ status: 'active', next_run_at: null });
    const last = new Date(at.getTime() - 24 * 60 * MINUTE);
    expect(await occurrence(past, last)).toMatchObject({ status: 'skipped', reason: 'empty_audience' });
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
    await sync(past);
    await deleted(past);
    expect((await rowOf(past)).status).toBe('ended');
  });

  it("without a zone of its own takes the project's, as it is at the request", async () => {
    await project.api('PATCH', '/v1/project', { timezone: 'Asia/Tokyo' });
    const { body } = await create({ cron: '0 9 * * *' });
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo', next_run_at: expect.stringMatching(/T00:00:00/) });
  });

  it('leaves out what was skipped by request', async () => {
    const id = await created({ cron: '0 9 * * *' });
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
    const id = await created({ cron: '* * * * *' });
    await project.api('PATCH', `/v1/recurring/${id}`, { status: 'paused' });
    expect(await occurrence(id, lastMinute())).toEqual({ status: 'ignored', reason: null });
    await service.pool.query(`UPDATE recurring SET status = 'active', cron = '0 * * * *' WHERE id = $1`, [
      id,
    ]);
    const hour = new Date(Math.floor(Date.now() / (60 * MINUTE)) * 60 * MINUTE);
    expect(await occurrence(id, new Date(hour.getTime() - 120 * MINUTE))).toMatchObject({ reason: 'missed' });
    expect(await occurrence(id, new Date(hour.getTime() - 60 * MINUTE))).toMatchObject({ reason: 'missed' });
    expect(await occurrence(id, new Date(hour.getTime() + MINUTE))).toMatchObject({ status: 'ignored' });
    expect(await occurrence(id, hour)).toMatchObject({ status: 'skipped', reason: 'empty_audience' });
    await subscribePerson(service, project);
    await blockBilling(service, project);
    await service.pool.query('DELETE FROM recurring_runs WHERE recurring_id = $1', [id]);
    expect(await occurrence(id, hour)).toMatchObject({ status: 'skipped', reason: 'billing_blocked' });
    expect(await eventsOf(service, project, 'recurring.sent')).toEqual([]);
  });

  it('sends what it is at its time: the content, audience and template of the moment', async () => {
    const [anna, ben] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags: ['vip'] });
    await project.api('POST', '/v1/templates', { key: 'weekly', variants: { en: { text: 'old' } } });
    expectError(await create({ content: { template: 'none' } }), 'not_found', /^content\.template: /);
    const id = await created({ max_runs: 1 });
    const changes = { content: { template: 'weekly' }, audience: { tags_all: ['vip'] }, max_runs: 2 };
    const changed = await project.api('PATCH', `/v1/recurring/${id}`, changes);
    expect(changed.body).toMatchObject({ ...changes, content: { template: 'weekly', vars: {} } });
    await project.api('PUT', '/v1/templates/weekly', { variants: { en: { text: 'new' } } });
    await project.api('POST', `/v1/recurring/${id}/run`);
    await eventually(async () => (await runsOf(id))[0]?.status === 'completed');
    expect((await textsTo(service, anna)).at(-1)).toBe('new');
    expect(await textsTo(service, ben)).not.toContain('new');
    // One more is left.
    expect(await get(id)).toMatchObject({ status: 'active', runs: 1 });
  });

  it('whose broadcast is cancelled has a failed run, without its event', async () => {
    await addCrowd(service, project, 'telegram', 200);
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
      `INSERT INTO scheduled (id, project_id, content, external_id, scheduled_at, next_at, wake_at)
       SELECT gen_random_uuid(), $1, '{}', 'a', 'x', now() + interval '1 year', NULL FROM generate_series(1, 98)`,
      [project.id],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  });

  it('shares the limit of scheduled messages, and keeps its template', async () => {
    await service.pool.query('INSERT INTO project_settings (project_id, scheduled_entries) VALUES ($1, 2)', [
      project.id,
    ]);
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
