import { sessionOutcome } from '../../../src/domains/login/session-outcome';
import type { Channel } from '../../../src/base/contract/common';
import { eventually } from '../../support/eventually';
import { startTestService, type TestService } from '../../support/service';
import {
  createSession,
  lastBotMessage,
  linkOf,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
  type StatusBody,
} from './fixture';

let service: TestService;
beforeAll(async () => {
  // Its own: sessions and codes that end within seconds.
  service = await startTestService({
    env: { HERALD_SESSION_TTL_SECONDS: '3', HERALD_CODE_TTL_SECONDS: '4' },
    queues: ['logins'],
  });
});
afterAll(() => service.stop());

afterEach(() => {
  Object.assign(service.config, { HERALD_SESSION_TTL_SECONDS: 3, HERALD_CODE_TTL_SECONDS: 4 });
});

/**
 * A question that is there before its session ends. Where the machine is too slow for three seconds, the next session has
 * more.
 */
async function askedInTime(channel: Channel, name: string) {
  for (let seconds = 3; seconds <= 48; seconds *= 2) {
    service.config.HERALD_SESSION_TTL_SECONDS = seconds;
    const project = await service.createProject();
    const session = await createSession(project);
    const user = `${name}-${seconds}`;
    await service.control.open(channel, user, { start: startOf(linkOf(session, channel)) });
    const question = await eventually(() => lastBotMessage(service, channel, user));
    if (question.buttons.length > 0) return { project, session, user, question };
  }
  throw new Error('no session was asked about in time');
}

/** A code that is there before it expires. Where the machine is too slow for four seconds, the next code has more. */
async function codeInTime(channel: Channel, name: string) {
  service.config.HERALD_SESSION_TTL_SECONDS = 1_800;
  for (let seconds = 4; seconds <= 64; seconds *= 2) {
    service.config.HERALD_CODE_TTL_SECONDS = seconds;
    const project = await service.createProject();
    const session = await createSession(project);
    const user = `${name}-${seconds}`;
    await openAndWait(service, channel, user, startOf(linkOf(session, channel)));
    await service.control.tap(channel, user, { button: 0 });
    await eventually(async () => (await statusInDatabase(service, session.session_id)) !== 'pending');
    const { body } = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
    if (body.code !== undefined) return { project, session, code: body.code };
  }
  throw new Error('no code was there in time');
}

/** Null where a slow worker has repeated a task, or left an edit to an activity. */
async function undisturbedEvents(sessionId: string): Promise<number | null> {
  const { events } = await service.client.workflow.getHandle(`auth/${sessionId}`).fetchHistory();
  const isDisturbed = (events ?? []).some(
    (event) => event.workflowTaskTimedOutEventAttributes ?? event.activityTaskScheduledEventAttributes,
  );
  return isDisturbed ? null : (events?.length ?? NaN);
}

describe.each<Channel>(['telegram', 'max'])('time on %s', (channel) => {
  test('not answered in time: the question is edited at the end, the status is expired, and a late Yes is told so', async () => {
    const { project, session, user, question } = await askedInTime(channel, `late-${channel}`);
    await waitForStatus(service, session.session_id, 'expired');
    const edited = await eventually(async () => {
      const last = await lastBotMessage(service, channel, user);
      return last?.edited && last.buttons.length === 0 ? last : null;
    });
    expect(edited.text).toContain('has expired');
    const yes = question.buttons[0]?.[0]?.data ?? '';
    await service.control.tap(channel, user, { message_id: question.message_id, data: yes });
    await eventually(async () => {
      const { toasts } = await service.control.chat(channel, user);
      return toasts.some((toast) => toast.text.includes('has expired'));
    });
    const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status`);
    expect(body).toMatchObject({ status: 'expired', expires_in: 0 });
    const { rows } = await service.pool.query('SELECT 1 FROM credit_ledger WHERE project_id = $1', [
      project.id,
    ]);
    expect(rows).toHaveLength(0);
    const result = await service.client.workflow.getHandle(`auth/${session.session_id}`).result();
    expect(result).toEqual({ status: 'expired', reason: 'not answered in time' });
    const log = await project.api('GET', '/v1/auth/sessions');
    expect(log.body.data).toMatchObject([{ status: 'expired', confirmed: false }]);
    expect(sessionOutcome(log.body.data[0])).toBe('expired');
  });

  test('an unused code expires by the workflow’s timer, and its value is erased', async () => {
    const { project, session, code } = await codeInTime(channel, `unused-${channel}`);
    await waitForStatus(service, session.session_id, 'expired');
    const { rows } = await service.pool.query('SELECT code_sealed FROM auth_sessions WHERE id = $1', [
      session.session_id,
    ]);
    expect(rows[0]).toEqual({ code_sealed: null });
    const late = await project.api('POST', '/v1/auth/verify', { code });
    expect([late.status, late.body.code]).toEqual([400, 'code_expired']);
    const result = await service.client.workflow.getHandle(`auth/${session.session_id}`).result();
    expect(result).toEqual({ status: 'expired', reason: 'the code was not used in time' });
    // The log tells it from a login that the user did not confirm; it was charged.
    const log = await project.api('GET', '/v1/auth/sessions');
    expect(log.body.data).toMatchObject([{ status: 'unredeemed', confirmed: true }]);
    const listed = async (status: string) =>
      (await project.api('GET', `/v1/auth/sessions?status=${status}`)).body.data.length;
    expect([await listed('unredeemed'), await listed('expired')]).toEqual([1, 0]);
    expect(sessionOutcome(log.body.data[0])).toBe('confirmed, code not redeemed');
    // 19, and those of a further task.
    expect((await undisturbedEvents(session.session_id)) ?? 19).toBeLessThanOrEqual(26);
  });
});

test('a link opened after the session’s end says so', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await waitForStatus(service, session.session_id, 'expired');
  await service.control.open('telegram', 'too-late', { start: startOf(session.telegram_link) });
  await eventually(async () =>
    (await lastBotMessage(service, 'telegram', 'too-late'))?.text.includes('has expired'),
  );
});
