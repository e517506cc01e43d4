import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { markCancelling } from '../../../src/domains/broadcasts/queries/broadcasts';
import { expireOpenSessions } from '../../../src/domains/login/expire-open';
import { claimMessage } from '../../../src/domains/messages/queries/messages';
import { lateCampaigns } from '../../../src/process/operations/late-campaigns';
import { scheduleBy } from '../../../src/base/agenda';
import { findNextNotice, MEMBER_NOTICES } from '../../../src/domains/projects/queries/notices';
import { updateProject } from '../../../src/domains/projects/queries/projects';
import { signals, taskQueues, workflowIds } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { delay, drips, send } from '../drip/fixture';
import { forms } from '../forms/fixture';
import { createSession, openAndWait, startOf, waitForStatus } from '../login/fixture';
import {
  addCrowd,
  subscribePerson,
  textsTo,
  untilBroadcast,
  type BroadcastRecord,
  type Person,
} from '../messages/fixture';

jest.setTimeout(120_000);

const HOUR = 3_600_000;

describe('an inactive project', () => {
  let service: Installation;
  let project: TestProject;
  let anna: Person;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
    anna = await subscribePerson(service, project);
  });
  afterAll(() => service.stop());

  const setActive = (active: boolean) => updateProject(service.pool, project.id, { active });
  const textsOfAnna = async () => (await textsTo(service, anna)).slice(1);
  const arrives = (text: string) =>
    eventually(async () => ((await textsOfAnna()).includes(text) ? true : undefined));

  /** Makes the workflow of a row read it now, as at its timer: it parks the row, so nothing is sent from then on. */
  async function parks(workflow: 'scheduled' | 'recurring' | 'drip', id: string) {
    const handle = service.client.workflow.getHandle(workflowIds[workflow](id));
    await handle.signal(signals.changed).catch((error: unknown) => {
      // It has read its row already.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
    expect(await handle.result()).toMatchObject({ status: 'parked', nextAt: null });
    expect(await textsOfAnna()).toEqual([]);
  }

  it('pauses its broadcast at the next claim and resumes it when it is active', async () => {
    await addCrowd(service, project, 'telegram', 40);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'news', messages_per_minute: 300 });
    const id = body.job_id as string;
    await eventually(async () => {
      const { body: seen } = await project.api<BroadcastRecord>('GET', `/v1/broadcast/${id}`);
      return seen.sent > 0 ? true : undefined;
    });
    await setActive(false);
    // Its calls in flight have their results, and its workflow has ended.
    expect(await service.client.workflow.getHandle(workflowIds.broadcast(id)).result()).toMatchObject({
      status: 'parked',
      nextAt: null,
    });
    const counted = async () =>
      (
        await service.pool.query<{ status: string; count: number }>(
          `SELECT status, count(*)::int AS count FROM broadcast_recipients WHERE broadcast_id = $1 GROUP BY status`,
          [id],
        )
      ).rows;
    const paused = await counted();
    expect(paused.map(({ status }) => status).sort()).toEqual(['queued', 'sent']);

    await service.pool.query('UPDATE broadcasts SET messages_per_minute = NULL WHERE id = $1', [id]);
    await setActive(true);
    expect(await untilBroadcast(project, id, 'completed')).toMatchObject({
      sent: 41,
      possible_duplicates: 0,
    });
  });

  it('cancels a paused broadcast without sending more', async () => {
    await addCrowd(service, project, 'telegram', 5);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'news', messages_per_minute: 1 });
    const id = body.job_id as string;
    await setActive(false);
    await service.client.workflow
      .getHandle(workflowIds.broadcast(id))
      .result()
      .catch(() => undefined);
    // As an operator whose process dies right after the commit: the workflow ends it.
    expect(await markCancelling(service.pool, id)).toBe(true);
    await service.pool.query('UPDATE agenda SET due_at = now() WHERE id = $1', [id]);
    await eventually(async () => {
      const { rows } = await service.pool.query<{ status: string }>(
        'SELECT status FROM broadcasts WHERE id = $1',
        [id],
      );
      return rows[0]?.status === 'cancelled' ? true : undefined;
    });
  });

  it('keeps a scheduled message that is due, and sends it once it is active; a day late it is skipped', async () => {
    const schedule = async (text: string) => {
      const { body } = await project.api('POST', '/v1/scheduled', {
        content: { text },
        subscriber_id: anna.subscriberId,
        scheduled_at: new Date(Date.now() + HOUR).toISOString(),
      });
      return body.scheduled_id as string;
    };
    const comeDue = (id: string, ago: number) =>
      service.pool.query('UPDATE scheduled SET scheduled_at = $2, next_at = $3 WHERE id = $1', [
        id,
        new Date(Date.now() - ago).toISOString(),
        new Date(Date.now() - ago),
      ]);
    const [due, old] = [await schedule('due'), await schedule('old')];
    for (const id of [due, old]) {
      await eventually(() => service.client.workflow.getHandle(workflowIds.scheduled(id)).describe());
    }
    await setActive(false);
    await comeDue(due, 0);
    await comeDue(old, 25 * HOUR);
    // Queued before the project became inactive: it has no other result than its entry.
    await service.pool.query(
      `INSERT INTO messages (project_id, request_id, source, source_id, content, subscriber_id, channel)
       VALUES ($1, $2, 'scheduled', $2, '{"text": "old"}', $3, 'telegram')`,
      [project.id, old, anna.subscriberId],
    );
    for (const id of [due, old]) await parks('scheduled', id);
    await setActive(true);
    await arrives('due');
    await eventually(async () => {
      const { body } = await project.api('GET', `/v1/scheduled/${old}`);
      return body.status === 'skipped' && body.reason === 'too_late' ? true : undefined;
    });
    expect(await textsOfAnna()).toEqual(['due']);
    const { rows } = await service.pool.query('SELECT status, reason FROM messages WHERE request_id = $1', [
      old,
    ]);
    expect(rows).toEqual([{ status: 'skipped', reason: 'too_late' }]);
  });

  it('does not count what waits as late', async () => {
    const { body } = await project.api('POST', '/v1/scheduled', {
      content: { text: 'due' },
      subscriber_id: anna.subscriberId,
      scheduled_at: new Date(Date.now() + HOUR).toISOString(),
    });
    await setActive(false);
    // The oldest are named.
    await service.pool.query(`UPDATE scheduled SET next_at = '2000-01-01' WHERE id = $1`, [
      body.scheduled_id,
    ]);
    const late = await lateCampaigns(service.pool);
    expect(late.flatMap(({ ids }) => ids)).not.toContain(body.scheduled_id);
  });

  it('starts no run of a recurring message; those over an hour late are missed', async () => {
    const { body } = await project.api('POST', '/v1/recurring', {
      name: 'Digest',
      content: { text: 'digest' },
      audience: {},
      cron: '* * * * *',
    });
    const id = body.recurring_id as string;
    await eventually(() => service.client.workflow.getHandle(workflowIds.recurring(id)).describe());
    await setActive(false);
    await service.pool.query(`UPDATE recurring SET next_at = now() - interval '90 minutes' WHERE id = $1`, [
      id,
    ]);
    await parks('recurring', id);
    await setActive(true);
    await arrives('digest');
    const { body: runs } = await project.api('GET', `/v1/recurring/${id}/runs?limit=100`);
    const reasons = (runs.data as { reason: string | null }[]).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'missed').length).toBeGreaterThan(80);
    await project.api('DELETE', `/v1/recurring/${id}`);
  });

  it('runs no step of a chain, and resumes it when it is active', async () => {
    const { create, enrol } = drips(service, () => project);
    const chain = await create({ steps: [delay('wait', 10_000), send('hello')] });
    const { enrolment_id: id } = await enrol(chain, anna.subscriberId);
    await eventually(async () => {
      const { rows } = await service.pool.query<{ began: boolean }>(
        'SELECT step_began_at IS NOT NULL AS began FROM drip_enrolments WHERE id = $1',
        [id],
      );
      return rows[0]?.began ? true : undefined;
    });
    await setActive(false);
    await service.pool.query(
      `UPDATE drip_enrolments SET step_began_at = now() - interval '30 days', next_at = now() WHERE id = $1`,
      [id],
    );
    await parks('drip', id);
    await setActive(true);
    await arrives('hello');
  });

  it('runs no route of a form, and resumes them when it is active', async () => {
    const { create, post, list } = forms(
      () => service,
      () => project,
    );
    const form = await create({
      routes: [{ action: 'message', to: 'submitter', content: { text: 'thanks' } }],
    });
    const link = await project.api(
      'GET',
      `/v1/forms/${form.form_id}/link?subscriber_id=${anna.subscriberId}`,
    );
    await post((link.body.url as string).slice(service.url.length), 'size=M', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    const id = (await list(form))[0]?.submission_id ?? '';
    await arrives('thanks');
    // Its workflow has ended, and its entry in the agenda is gone: nothing but the test starts it again.
    await service.client.workflow.getHandle(workflowIds.form(id)).result();
    // As if the route had not run.
    await setActive(false);
    const again = await service.pool.query<{ id: string }>(
      `UPDATE submission_routes SET status = NULL, reason = NULL, ended_at = NULL WHERE submission_id = $1 RETURNING id`,
      [id],
    );
    await service.pool.query('DELETE FROM messages WHERE request_id = $1', [again.rows[0]?.id]);
    await service.pool.query('UPDATE form_submissions SET next_at = now() WHERE id = $1', [id]);
    const handle = await service.client.workflow.start('form', {
      workflowId: workflowIds.form(id),
      taskQueue: taskQueues(service.queuePrefix).campaigns,
      args: [{ id }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    expect(await handle.result()).toMatchObject({ status: 'parked' });
    expect(await textsOfAnna()).toEqual(['thanks']);
    await setActive(true);
    await eventually(async () => ((await textsOfAnna()).length === 2 ? true : undefined));
  });

  it('has no single message and no notice claimed', async () => {
    const requestId = randomUUID();
    await setActive(false);
    const { rows } = await service.pool.query<{ id: string }>(
      `INSERT INTO messages (project_id, request_id, source, content, subscriber_id, channel)
       VALUES ($1, $2, 'send', '{"text": "hi"}', $3, 'telegram') RETURNING id`,
      [project.id, requestId, anna.subscriberId],
    );
    const messageId = rows[0]?.id ?? '';
    expect(await claimMessage(service.pool, messageId)).toBe(false);
    const member = await service.pool.query<{ id: string }>(
      `WITH account AS (
         INSERT INTO accounts (channel, platform_user_id, chat_id, first_name, lang)
         VALUES ('telegram', $1, $1, 'Member', 'en') RETURNING id)
       INSERT INTO members (project_id, account_id, role) SELECT $2, id, 'viewer' FROM account RETURNING id`,
      [`9${Date.now()}`, project.id],
    );
    const id = member.rows[0]?.id ?? '';
    await service.pool.query(
      `INSERT INTO member_notices (member_id, event_id, message) VALUES ($1, $2, '{"text": "x"}')`,
      [id, requestId],
    );
    await scheduleBy(service.pool, MEMBER_NOTICES, [{ id, project_id: project.id }]);
    expect(await findNextNotice(service.pool, id)).toMatchObject({ may_send: false });
    await setActive(true);
    // The member's chat does not exist, so the notice ends with its first attempt.
    await eventually(
      async () => ((await findNextNotice(service.pool, id)) === null ? true : undefined),
      20_000,
    );
    expect(await claimMessage(service.pool, messageId)).toBe(true);
  });

  it('stores events without deliveries, also once it is active, and finishes those that exist', async () => {
    const { body } = await project.api('POST', '/v1/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      events: [],
    });
    const deliveriesOf = async (eventId: string) =>
      (
        await service.pool.query<{ status: string }>('SELECT status FROM deliveries WHERE event_id = $1', [
          eventId,
        ])
      ).rows;
    const before = await service.emitExample(project.id, 'subscription.created');
    await setActive(false);
    const during = await service.emitExample(project.id, 'subscription.deleted');
    expect(await deliveriesOf(during)).toEqual([]);
    await setActive(true);
    const after = await service.emitExample(project.id, 'subscription.created');
    expect([await deliveriesOf(during), (await deliveriesOf(after)).length]).toEqual([[], 1]);
    expect((await deliveriesOf(before)).length).toBe(1);
    await project.api('DELETE', `/v1/webhooks/${body.webhook_id ?? body.id}`);
  });

  it('ends its open sessions as expired, also one that is answered, and charges nothing', async () => {
    const [waiting, answered] = [await createSession(project), await createSession(project)];
    await openAndWait(service, 'telegram', anna.name, startOf(answered.telegram_link));
    await setActive(false);
    await service.control.tap('telegram', anna.name, { button: 1 });
    await waitForStatus(service, answered.session_id, 'expired');
    expect(await expireOpenSessions(service.pool, project.id)).toEqual({ sessions: 1 });
    expect(await expireOpenSessions(service.pool, project.id)).toEqual({ sessions: 0 });
    await setActive(true);
    const { body } = await project.api('GET', `/v1/auth/session/${waiting.session_id}/status`);
    expect(body.status).toBe('expired');
    const { rows } = await service.pool.query('SELECT FROM credit_ledger WHERE project_id = $1', [
      project.id,
    ]);
    expect(rows).toEqual([]);
  });
});
