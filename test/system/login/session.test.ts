import { createHash } from 'node:crypto';
import type { Channel } from '../../../src/base/contract/common';
import { eventually } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import {
  confirmedSession,
  createSession,
  eventsOf,
  lastBotMessage,
  linkOf,
  openAndWait,
  startOf,
  waitForStatus,
  type StatusBody,
} from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

test('a project can begin more logins than fit in 32 bits', async () => {
  const project = await service.createProject();
  await service.pool.query('UPDATE projects SET session_counter = 2147483647 WHERE id = $1', [project.id]);
  expect((await createSession(project)).session_id).toEqual(expect.any(String));
});

describe.each<Channel>(['telegram', 'max'])('login by session on %s', (channel) => {
  test('a valid request gives links that fit, times, and a running workflow', async () => {
    const project = await service.createProject();
    const session = await createSession(project);
    const start = startOf(linkOf(session, channel));
    expect(start).toMatch(/^s_[A-Za-z0-9_-]{1,62}$/);
    expect(session).toMatchObject({ expires_in: 1800, interval: 2 });
    // The relay starts it later if Temporal did not within a second.
    const { status, searchAttributes } = await eventually(() =>
      service.client.workflow.getHandle(`auth/${session.session_id}`).describe(),
    );
    expect(status.name).toBe('RUNNING');
    expect(searchAttributes).toMatchObject({
      AuthFlow: ['session'],
      AuthStatus: ['pending'],
      ProjectId: [project.id],
    });
  });

  test('Yes makes one subscriber, one code, both events and one credit; the message loses its buttons', async () => {
    const project = await service.createProject({ name: 'Shop <b>' });
    const user = `yes-${channel}`;
    const { session, status } = await confirmedSession(service, project, user, {
      channel,
      body: { state: 'abc+%#?=', user_agent: 'Firefox', client_ip: '203.0.113.7' },
      profile: { first_name: 'Аня <b>🙂', username: 'anya', language_code: 'ru-RU' },
    });
    expect(status).toMatchObject({ status: 'confirmed', state: 'abc+%#?=', redirect_url: null, interval: 2 });
    expect(status.code).toMatch(/^[A-Za-z0-9_-]{43}$/);

    const message = await eventually(async () => {
      const last = await lastBotMessage(service, channel, user);
      return last?.edited && last.buttons.length === 0 ? last : null;
    });
    expect(message.text).toContain('Вы вошли в «');

    const events = await eventsOf(service, project);
    expect(events.map((event) => event.name).sort()).toEqual(['auth.completed', 'subscription.created']);
    const completed = events.find((event) => event.name === 'auth.completed');
    expect(completed?.body.data).toMatchObject({
      state: 'abc+%#?=',
      first_name: 'Аня <b>🙂',
      username: 'anya',
      lang: 'ru',
      channel,
    });
    expect(completed?.body.data['auth_time']).toMatch(/\+00:00$/);
    const { rows } = await service.pool.query('SELECT 1 FROM credit_ledger WHERE project_id = $1', [
      project.id,
    ]);
    expect(rows).toHaveLength(1);

    const verified = await project.api('POST', '/v1/auth/verify', { code: status.code });
    expect(verified.status).toBe(200);
    expect(verified.body).toEqual({
      subscriber_id: completed?.body.data['subscriber_id'],
      channel,
      first_name: 'Аня <b>🙂',
      username: 'anya',
      lang: 'ru',
      tags: [],
    });
    const again = await project.api('POST', '/v1/auth/verify', { code: status.code });
    expect([again.status, again.body.code]).toEqual([409, 'code_already_used']);
    await eventually(async () => {
      const after = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
      return after.body.status === 'consumed';
    });
  });

  test('the question names the project, the match code, the device and the address, with Yes and No', async () => {
    const project = await service.createProject({ name: 'Shop & Co <i>' });
    const session = await createSession(project, {
      user_agent: 'Safari on <iPhone>',
      client_ip: '2001:db8::1',
    });
    const question = await openAndWait(service, channel, `q-${channel}`, startOf(linkOf(session, channel)), {
      language_code: 'pt-BR',
    });
    for (const part of ['Shop & Co <i>', session.match_code, 'Safari on <iPhone>', '2001:db8::1']) {
      expect(question.text).toContain(part);
    }
    expect(question.text.split('\n')).toContain(session.match_code);
    // Both messengers show it bold and monospaced.
    const at = question.text.indexOf(`\n${session.match_code}\n`) + 1;
    const shape = { offset: at, length: session.match_code.length };
    expect(question.entities).toEqual(
      expect.arrayContaining([
        { type: 'bold', ...shape },
        { type: 'code', ...shape },
      ]),
    );
    expect(question.text).toContain('To stop them, send /stop.');
    expect(question.buttons.map((row) => row.map((button) => button.text))).toEqual([['Yes', 'No']]);
  });

  test('a second login of the same user emits no second subscription.created', async () => {
    const project = await service.createProject();
    await confirmedSession(service, project, `twice-${channel}`, { channel });
    await confirmedSession(service, project, `twice-${channel}`, { channel });
    const names = (await eventsOf(service, project)).map((event) => event.name);
    expect(names.filter((name) => name === 'subscription.created')).toHaveLength(1);
    expect(names.filter((name) => name === 'auth.completed')).toHaveLength(2);
  });

  test('No declines: no subscriber, no credit, and a later Yes is told that it was answered', async () => {
    const project = await service.createProject();
    const user = `no-${channel}`;
    const session = await createSession(project);
    const question = await openAndWait(service, channel, user, startOf(linkOf(session, channel)));
    await service.control.tap(channel, user, { button: 'No' });
    await waitForStatus(service, session.session_id, 'declined');
    const { body } = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
    expect(body).toMatchObject({ status: 'declined', reason: 'user' });
    const yes = question.buttons[0]?.[0]?.data ?? '';
    await service.control.tap(channel, user, { message_id: question.message_id, data: yes });
    await eventually(async () => {
      const { toasts } = await service.control.chat(channel, user);
      return toasts.some((toast) => toast.text.includes('already been answered'));
    });
    const counts = await service.pool.query(
      `SELECT (SELECT count(*) FROM subscribers WHERE project_id = $1) AS subscribers,
              (SELECT count(*) FROM credit_ledger WHERE project_id = $1) AS credits`,
      [project.id],
    );
    expect(counts.rows[0]).toEqual({ subscribers: 0, credits: 0 });
  });

  test('a code with a challenge needs its verifier, and a wrong one does not use it up', async () => {
    const project = await service.createProject();
    const verifier = 'v'.repeat(50);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const { status } = await confirmedSession(service, project, `pkce-${channel}`, {
      channel,
      body: { code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const missing = await project.api('POST', '/v1/auth/verify', { code: status.code });
    const wrong = await project.api('POST', '/v1/auth/verify', {
      code: status.code,
      code_verifier: 'w'.repeat(50),
    });
    expect([missing.body.code, wrong.body.code]).toEqual(['invalid_code_verifier', 'invalid_code_verifier']);
    const right = await project.api('POST', '/v1/auth/verify', {
      code: status.code,
      code_verifier: verifier,
    });
    expect(right.status).toBe(200);
  });
});

test('a session that has ended cannot be cancelled, and another project’s is not found', async () => {
  const project = await service.createProject();
  const cancel = async (id: string, { api } = project) => {
    const { status, body } = await api('DELETE', `/v1/auth/session/${id}`);
    return [status, body['code']];
  };
  const { session, status } = await confirmedSession(service, project, 'cancel-late');
  expect(await cancel(session.session_id)).toEqual([409, 'conflict']);
  await project.api('POST', '/v1/auth/verify', { code: status.code });
  await waitForStatus(service, session.session_id, 'consumed');
  expect(await cancel(session.session_id)).toEqual([409, 'conflict']);

  const declined = await createSession(project);
  await openAndWait(service, 'telegram', 'cancel-no', startOf(linkOf(declined, 'telegram')));
  await service.control.tap('telegram', 'cancel-no', { button: 1 });
  await waitForStatus(service, declined.session_id, 'declined');
  expect(await cancel(declined.session_id)).toEqual([409, 'conflict']);

  const pending = await createSession(project);
  const stranger = await service.createProject();
  expect(await cancel(pending.session_id, stranger)).toEqual([404, 'not_found']);
  const { body } = await project.api('GET', `/v1/auth/session/${pending.session_id}/status`);
  expect(body['status']).toBe('pending');
});
