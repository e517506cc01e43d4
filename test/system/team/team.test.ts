import { randomUUID } from 'node:crypto';
import { limits, plans } from '../../../src/base/contract/limits';
import { scopes, type Role } from '../../../src/base/contract/scopes';
import { findCallerBySession } from '../../../src/domains/projects/queries/dashboard-sessions';
import { eventually, SOON_MS } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { confirmedSession, lastBotMessage, openAndWait, startOf } from '../login/fixture';
import { freshName } from '../messages/fixture';
import { createEndpoint, emitOne, scriptedReceiver } from '../webhooks/fixture';
import {
  createBrowser,
  createMember,
  inviteAsOperator,
  insertMemberRow,
  join,
  signInByMessenger,
  type Browser,
} from './fixture';

let service: Installation;
beforeAll(async () => {
  // Every browser of the tests has the same address; each sign-in comes through a proxy with its own.
  service = await useService();
});
afterAll(() => service?.stop());

const basic = () => service.createProject({ plan: 'basic' });

async function memberOf(project: TestProject, name: string) {
  const { body } = await project.api('GET', '/v1/members');
  return body.data.find((member: { first_name: string }) => member.first_name === name);
}

async function clearLimits(): Promise<void> {
  await service.pool.query("DELETE FROM request_counters WHERE key LIKE 'dashboard_login%'");
}
beforeEach(clearLimits);

describe('an invitation', () => {
  it('leads through a question in the bot into the team, once', async () => {
    const project = await basic();
    const created = await project.api('POST', '/v1/invitations', { role: 'admin', name: 'For Ann' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        role: 'admin',
        name: 'For Ann',
        telegram_link: expect.stringMatching(/start=join_[A-Za-z0-9]{22}$/),
      },
    });
    expect((await project.api('GET', '/v1/invitations')).body.data).toEqual([created.body]);
    const user = freshName('ann');
    const start = startOf(created.body.telegram_link);
    const question = await openAndWait(service, 'telegram', user, start, { first_name: user });
    expect(question.text).toBe('Join the team of Test project as admin?');
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['Yes', 'No']);
    await service.control.tap('telegram', user, { button: 'Yes' });
    const member = await eventually(() => memberOf(project, user));
    expect(member).toEqual({
      member_id: expect.any(String),
      role: 'admin',
      first_name: user,
      username: null,
      channel: 'telegram',
      notify: 'assigned',
      last_seen_at: null,
      created_at: expect.any(String),
    });
    expect((await project.api('GET', '/v1/invitations')).body.data).toEqual([]);

    for (const [language_code, used] of [
      ['en', 'This invitation has already been used. Ask for a new one.'],
      ['ru', 'Это приглашение уже использовано. Попросите новое.'],
    ] as const) {
      const second = freshName('bob');
      await service.control.open('telegram', second, { start, language_code });
      const reply = await eventually(() => lastBotMessage(service, 'telegram', second));
      expect(reply.text).toBe(used);
    }
  });

  it('asks in Russian, and No joins nothing', async () => {
    const project = await basic();
    const user = freshName('olga');
    const start = await inviteAsOperator(service, project, 'viewer');
    const question = await openAndWait(service, 'max', user, start, { language_code: 'ru' });
    expect(question.text).toBe('Войти в команду «Test project» как наблюдатель?');
    await service.control.tap('max', user, { button: 'Нет' });
    await eventually(async () => (await lastBotMessage(service, 'max', user))?.edited);
    expect((await project.api('GET', '/v1/members')).body.data).toEqual([]);
  });

  it('is withdrawn, expires, and belongs to its project', async () => {
    const project = await basic();
    const stranger = await basic();
    const { body } = await project.api('POST', '/v1/invitations', { role: 'viewer' });
    expectError(await stranger.api('DELETE', `/v1/invitations/${body.invitation_id}`), 'not_found');
    expect((await project.api('DELETE', `/v1/invitations/${body.invitation_id}`)).status).toBe(204);
    expectError(await project.api('DELETE', `/v1/invitations/${body.invitation_id}`), 'not_found');
    const expired = await inviteAsOperator(service, project, 'viewer');
    await service.pool.query('UPDATE invitations SET expires_at = now() WHERE project_id = $1', [project.id]);
    for (const start of [startOf(body.telegram_link), expired]) {
      const user = freshName('late');
      await service.control.open('telegram', user, { start });
      await eventually(async () =>
        (await lastBotMessage(service, 'telegram', user))?.text.startsWith('This invitation is not valid'),
      );
    }
  });

  it('gives nothing that its maker no longer has: a lower role, no place in the team, a revoked key', async () => {
    const project = await basic();
    const names = { owner: freshName('owner'), admin: freshName('admin') };
    const owner = await createMember(service, project, names.owner, 'owner');
    const admin = await createMember(service, project, names.admin, 'admin');
    const { member_id: adminId } = await memberOf(project, names.admin);
    const invite = async (api: Browser['api']) =>
      startOf((await api('POST', '/v1/invitations', { role: 'viewer' })).body.telegram_link);
    const demoted = await invite(admin.api);
    const removed = await invite(admin.api);
    const { body: key } = await owner.api('POST', '/v1/keys', { scopes: ['read', 'admin'] });
    const revoked = await invite(service.apiWith(key.api_key));
    const notValid = async (user: string) =>
      (await lastBotMessage(service, 'telegram', user))?.text.startsWith('This invitation is not valid');

    // The maker counts at the time of the Yes, not of the question.
    const [first, second, third] = [freshName('first'), freshName('second'), freshName('third')];
    await openAndWait(service, 'telegram', first, demoted, { first_name: first });
    expect((await owner.api('PATCH', `/v1/members/${adminId}`, { role: 'viewer' })).status).toBe(200);
    await service.control.tap('telegram', first, { button: 'Yes' });
    await eventually(() => notValid(first));
    expect((await owner.api('DELETE', `/v1/members/${adminId}`)).status).toBe(204);
    expect((await owner.api('GET', '/v1/invitations')).body.data.length).toBe(1);
    expect((await owner.api('DELETE', `/v1/keys/${key.id}`)).status).toBe(204);
    expect((await owner.api('GET', '/v1/invitations')).body.data).toEqual([]);
    await service.control.open('telegram', second, { start: removed });
    await service.control.open('telegram', third, { start: revoked });
    await eventually(async () => (await notValid(second)) && (await notValid(third)));
    expect((await project.api('GET', '/v1/members')).body.data.length).toBe(1);
  });

  it('is not made for more than one member on the free plan, and the plan is exact when two answer at once', async () => {
    const project = await service.createProject();
    const starts = await Promise.all(
      ['owner', 'viewer'].map((role) => inviteAsOperator(service, project, role as Role)),
    );
    const texts = await Promise.all(starts.map((start) => join(service, freshName(), start)));
    expect(texts.filter((text) => text.startsWith('You are in the team')).length).toBe(1);
    expect(texts.filter((text) => text.includes('does not include another member')).length).toBe(1);
    expectError(await project.api('POST', '/v1/invitations', { role: 'viewer' }), 'plan_limit');
  });
});

describe('members', () => {
  let project: TestProject;
  let owner: Browser;
  let admin: Browser;
  const names = { owner: freshName('owner'), admin: freshName('admin') };
  beforeAll(async () => {
    project = await basic();
    await clearLimits();
    owner = await createMember(service, project, names.owner, 'owner');
    admin = await createMember(service, project, names.admin, 'admin');
  });

  it('are made and changed as owners by owners only', async () => {
    const { member_id: ownerId } = await memberOf(project, names.owner);
    const { member_id: adminId } = await memberOf(project, names.admin);
    for (const { api } of [admin, project]) {
      expectError(await api('POST', '/v1/invitations', { role: 'owner' }), 'forbidden');
      expectError(await api('PATCH', `/v1/members/${adminId}`, { role: 'owner' }), 'forbidden');
      expectError(await api('PATCH', `/v1/members/${ownerId}`, { notify: 'none' }), 'forbidden');
      expectError(await api('DELETE', `/v1/members/${ownerId}`), 'forbidden');
    }
    // An admin must not find the link of an owner's invitation either.
    const { body: invitation } = await owner.api('POST', '/v1/invitations', { role: 'owner' });
    const linkFor = async ({ api }: { api: Browser['api'] }) =>
      (await api('GET', '/v1/invitations')).body.data.find(
        (each: { invitation_id: string }) => each.invitation_id === invitation.invitation_id,
      ).telegram_link;
    expect(await linkFor(owner)).toBe(invitation.telegram_link);
    expect(await linkFor(admin)).toBeNull();
    expectError(await admin.api('DELETE', `/v1/invitations/${invitation.invitation_id}`), 'forbidden');
  });

  it('keep their last owner, also when two owners leave at once', async () => {
    const { member_id: ownerId } = await memberOf(project, names.owner);
    const { member_id: adminId } = await memberOf(project, names.admin);
    expectError(await owner.api('PATCH', `/v1/members/${ownerId}`, { role: 'viewer' }), 'conflict');
    expectError(await owner.api('DELETE', `/v1/members/${ownerId}`), 'conflict');
    const promoted = await owner.api('PATCH', `/v1/members/${adminId}`, { role: 'owner', notify: 'all' });
    expect(promoted).toMatchObject({ status: 200, body: { role: 'owner', notify: 'all' } });
    const answers = await Promise.all(
      [ownerId, adminId].map((id) => owner.api('PATCH', `/v1/members/${id}`, { role: 'admin' })),
    );
    const { body } = await project.api('GET', '/v1/members');
    const owners = body.data.filter(({ role }: { role: string }) => role === 'owner');
    expect(owners.length).toBe(1);
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    await service.pool.query("UPDATE members SET role = 'owner' WHERE id = $1", [ownerId]);
    await service.pool.query("UPDATE members SET role = 'admin' WHERE id = $1", [adminId]);
  });

  it('lose what they may no longer do', async () => {
    const { member_id: id } = await memberOf(project, names.admin);
    expect((await admin.api('GET', '/v1/keys')).status).toBe(200);
    expect((await owner.api('PATCH', `/v1/members/${id}`, { role: 'viewer' })).status).toBe(200);
    const refused = await eventually(async () => {
      const answer = await admin.api('GET', '/v1/keys');
      return answer.status === 200 ? undefined : answer;
    }, SOON_MS);
    expectError(refused, 'forbidden', 'Your role needs the scope "admin".');
    expect((await admin.api('GET', '/v1/project')).status).toBe(200);
    expect((await owner.api('DELETE', `/v1/members/${id}`)).status).toBe(204);
    await eventually(async () => (await admin.api('GET', '/v1/project')).status === 403, SOON_MS);
    expect((await admin.api('GET', '/dashboard/session')).body).toMatchObject({
      project_id: null,
      projects: [],
    });
    expectError(await owner.api('DELETE', `/v1/members/${id}`), 'not_found');
  });

  it('of any role choose what the bot tells them, and nothing else', async () => {
    const user = freshName('quiet');
    const { api } = await createMember(service, project, user, 'viewer');
    const { member_id: id } = await memberOf(project, user);
    expect((await api('GET', '/dashboard/session')).body.notify).toBe('assigned');
    expectError(await api('PATCH', `/v1/members/${id}`, { notify: 'none' }), 'forbidden');
    const changed = await api('PATCH', '/dashboard/session', { notify: 'none' });
    expect(changed).toMatchObject({ status: 200, body: { project_id: project.id, notify: 'none' } });
    expect(await memberOf(project, user)).toMatchObject({ role: 'viewer', notify: 'none' });
    expect(await memberOf(project, names.owner)).not.toMatchObject({ notify: 'none' });
    expectError(await api('PATCH', '/dashboard/session', { role: 'admin' }), 'validation_failed');
    const elsewhere = { 'x-herald-project': randomUUID() };
    expectError(await api('PATCH', '/dashboard/session', { notify: 'all' }, elsewhere), 'conflict');
    expect((await owner.api('DELETE', `/v1/members/${id}`)).status).toBe(204);
    expectError(await api('PATCH', '/dashboard/session', { notify: 'all' }), 'forbidden');
    expectError(
      await createBrowser(service).api('PATCH', '/dashboard/session', { notify: 'all' }),
      'unauthorized',
    );
  });

  it('are not given a role with a scope that the caller lacks', async () => {
    const limited = service.apiWith(await service.createKey(project.id, ['read', 'admin']));
    const granted = async (role: Role) => (await limited('POST', '/v1/invitations', { role })).status;
    expect(await Promise.all((['admin', 'support', 'viewer'] as const).map(granted))).toEqual([
      403, 403, 201,
    ]);
    const { member_id: id } = await memberOf(project, names.owner);
    expectError(await limited('PATCH', `/v1/members/${randomUUID()}`, { role: 'viewer' }), 'not_found');
    expectError(await limited('PATCH', `/v1/members/${id}`, { role: 'viewer' }), 'forbidden');
  });

  it('are neither demoted nor removed, and invitations not withdrawn, by a caller who lacks a scope of the role', async () => {
    const api = service.apiWith(await service.createKey(project.id, ['read', 'admin']));
    const admin = (await insertMemberRow(service, project, 'admin')).memberId;
    const viewer = (await insertMemberRow(service, project, 'viewer')).memberId;
    const { body: invitation } = await owner.api('POST', '/v1/invitations', { role: 'admin' });
    const lacking = 'You lack a scope of the role "admin".';
    expectError(await api('PATCH', `/v1/members/${admin}`, { role: 'viewer' }), 'forbidden', lacking);
    expectError(await api('DELETE', `/v1/members/${admin}`), 'forbidden', lacking);
    expectError(await api('DELETE', `/v1/invitations/${invitation.invitation_id}`), 'forbidden', lacking);
    expect((await api('DELETE', `/v1/members/${viewer}`)).status).toBe(204);
    expect((await owner.api('DELETE', `/v1/members/${admin}`)).status).toBe(204);
  });
});

describe('the bot tells members', () => {
  it('about failing, recovered and disabled endpoints and about credits, with a link, unless they want nothing', async () => {
    const project = await basic();
    const [listener, silent, olga] = [freshName('listener'), freshName('silent'), freshName('olga')];
    await join(service, listener, await inviteAsOperator(service, project, 'viewer'));
    await join(service, silent, await inviteAsOperator(service, project, 'owner'));
    const start = await inviteAsOperator(service, project, 'admin');
    await openAndWait(service, 'max', olga, start, { language_code: 'ru', first_name: olga });
    await service.control.tap('max', olga, { button: 'Да' });
    await eventually(() => memberOf(project, olga));
    await service.pool.query(
      `UPDATE members m SET notify = CASE a.first_name WHEN $2 THEN 'none' ELSE 'all' END
       FROM accounts a WHERE a.id = m.account_id AND m.project_id = $1 AND a.first_name IN ($2, $3)`,
      [project.id, silent, olga],
    );
    const receiver = await scriptedReceiver(503);
    try {
      const endpoint = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
      /** The last words of the bot and where its button leads. */
      const notices = async (user: string, channel: 'telegram' | 'max') => {
        const { messages } = await service.control.chat(channel, user);
        const fromBot = messages.filter(({ from, edited }) => from === 'bot' && !edited);
        return fromBot.map(({ text, buttons }) => [text, buttons.flat()[0]?.url]);
      };
      const page = (path: string) => `${service.url}/dashboard/${path}`;
      const told = (english: string, russian: string, path: string) =>
        eventually(async () => {
          const [inEnglish, inRussian] = [await notices(listener, 'telegram'), await notices(olga, 'max')];
          return (
            inEnglish.some(([text, url]) => text?.includes(english) && url === page(path)) &&
            inRussian.some(([text, url]) => text?.includes(russian) && url === page(path))
          );
        });
      const path = `webhooks/${endpoint.id}`;
      const delivery = await emitOne(service, project, endpoint.id, 'otp.sent');
      await eventually(async () => {
        const { rowCount } = await service.pool.query(
          `UPDATE endpoints SET failing_since = failing_since - interval '16 minutes'
           WHERE id = $1 AND failing_since IS NOT NULL`,
          [endpoint.id],
        );
        return rowCount === 1;
      });
      await told(`${receiver.url} is failing`, `${receiver.url} не доходят`, path);
      receiver.behave(200);
      await project.api('POST', `/v1/deliveries/${delivery}/retry`);
      await told(`${receiver.url} works again`, `${receiver.url} снова доходят`, path);
      receiver.behave(410);
      await emitOne(service, project, endpoint.id, 'otp.sent');
      await told(`${receiver.url} was disabled`, `${receiver.url} отключены`, path);
      const use = (used: number) =>
        service.pool.query(
          `INSERT INTO credit_months (project_id, month, used)
           VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), $2)
           ON CONFLICT (project_id, month) DO UPDATE SET used = excluded.used`,
          [project.id, used],
        );
      await use(plans.basic.loginsPerMonth * limits.creditsLowShare - 1);
      await confirmedSession(service, project, freshName());
      await told('most logins of this month are used', 'почти израсходованы', 'logins');
      await use(plans.basic.loginsPerMonth - 1);
      await confirmedSession(service, project, freshName());
      await told('no logins are left', 'закончились', 'logins');
      expect(await notices(silent, 'telegram')).toEqual([]);
      expect(await notices(listener, 'telegram')).toHaveLength(5);
    } finally {
      await receiver.close();
    }
  });
});

describe('a key', () => {
  it('never has more scopes than the caller who created it', async () => {
    const project = await basic();
    const all = scopes.filter((scope) => scope !== 'publish');
    expect((await project.api('POST', '/v1/keys', {})).body.scopes).toEqual(all);
    expect((await project.api('POST', '/v1/keys', { scopes: ['send', 'read'] })).body.scopes).toEqual([
      'read',
      'send',
    ]);
    expectError(await project.api('POST', '/v1/keys', { scopes: ['publish'] }), 'forbidden');
    expectError(await project.api('POST', '/v1/keys', { scopes: [] }), 'validation_failed');
    const limited = service.apiWith(await service.createKey(project.id, ['admin', 'read', 'publish']));
    expect((await limited('POST', '/v1/keys', {})).body.scopes).toEqual(['read', 'admin']);
    expectError(await limited('POST', '/v1/keys', { scopes: ['read', 'manage'] }), 'forbidden');
    // Only the operator's CLI grants it.
    expectError(await limited('POST', '/v1/keys', { scopes: ['publish'] }), 'forbidden');
  });
});

describe('signing in by messenger', () => {
  it('asks as a login of Herald, costs nothing, subscribes to nothing and signs in that browser only', async () => {
    const project = await basic();
    const user = freshName('eve');
    await join(service, user, await inviteAsOperator(service, project, 'support'));
    const browser = createBrowser(service);
    const { body } = await browser.api('POST', '/dashboard/login', undefined, { 'user-agent': 'Phone' });
    expect(Object.keys(body).sort()).toEqual([
      'expires_in',
      'login_id',
      'match_code',
      'max_link',
      'telegram_link',
    ]);
    const path = `/dashboard/login/${body.login_id}`;
    expect((await browser.api('GET', path)).body).toEqual({ status: 'pending' });
    expectError(await createBrowser(service).api('GET', path), 'not_found');
    const question = await openAndWait(service, 'telegram', user, startOf(body.telegram_link));
    expect(question.text).toContain('Log in to Herald?');
    expect(question.text).toContain(body.match_code);
    expect(question.text).toContain('Device: Phone');
    expect(question.text).not.toContain('subscribes');
    const waiting = browser.api('GET', `${path}?wait=20`);
    await service.control.tap('telegram', user, { button: 'Yes' });
    expect((await waiting).body).toEqual({ status: 'confirmed' });
    // A response that was lost costs nothing: the browser asks again.
    const again = createBrowser(service);
    for (const [name, value] of browser.cookies) {
      if (name.startsWith('herald_sign_in')) again.cookies.set(name, value);
    }
    expect((await again.api('GET', path)).body).toEqual({ status: 'confirmed' });
    expectError(await createBrowser(service).api('GET', path), 'not_found');
    const workflow = service.client.workflow.getHandle(`auth/${body.login_id}`);
    expect(await workflow.result()).toEqual({ status: 'consumed', reason: 'the code was used' });

    for (const { api } of [browser, again]) {
      expect((await api('GET', '/dashboard/session')).body).toMatchObject({
        project_id: project.id,
        key_id: null,
        account: { first_name: 'Anna', channel: 'telegram' },
        role: 'support',
        scopes: ['read', 'helpdesk'],
        projects: [{ project_id: project.id, slug: project.slug, role: 'support' }],
      });
    }
    expect((await browser.api('GET', '/v1/project')).body.id).toBe(project.id);
    const { rows } = await service.pool.query(
      `SELECT (SELECT count(*) FROM subscribers s WHERE s.project_id = p.id) AS subscribers,
         (SELECT count(*) FROM credit_ledger c WHERE c.project_id = p.id) AS charges,
         (SELECT count(*) FROM events e WHERE e.project_id = p.id) AS events FROM projects p WHERE p.system_purpose = 'sign_in'`,
    );
    expect(rows).toEqual([{ subscribers: 0, charges: 0, events: 0 }]);
    expect((await browser.api('DELETE', '/dashboard/session')).status).toBe(204);
    // Signing out ends it for good.
    expect((await again.api('GET', path)).body).toEqual({ status: 'consumed' });
    expectError(await again.api('GET', '/v1/project'), 'unauthorized');
  });

  it('is declined in the chat', async () => {
    const browser = createBrowser(service);
    const user = freshName('no');
    const { body } = await browser.api('POST', '/dashboard/login');
    await openAndWait(service, 'max', user, startOf(body.max_link));
    await service.control.tap('max', user, { button: 'No' });
    const { body: polled } = await browser.api('GET', `/dashboard/login/${body.login_id}?wait=20`);
    expect(polled).toEqual({ status: 'declined' });
    expectError(await browser.api('GET', '/dashboard/session'), 'unauthorized');
  });

  it('is possible ten times an hour for each address', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const { api } = createBrowser(service);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api('POST', '/dashboard/login', undefined, from)),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBe(10);
    const refused = answers.find(({ status }) => status !== 201)!;
    expectError(refused, 'rate_limit_sign_in');
    const other = { 'x-forwarded-for': '203.0.113.10' };
    expect((await api('POST', '/dashboard/login', undefined, other)).status).toBe(201);
  });

  it('is refused to pages of other sites', async () => {
    const { api } = createBrowser(service);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expectError(await api('POST', '/dashboard/login', undefined, headers), 'forbidden');
  });

  it('leads into several projects, each with its own role', async () => {
    const [one, other] = [await basic(), await basic()];
    const user = freshName('both');
    await join(service, user, await inviteAsOperator(service, one, 'owner'));
    await join(service, user, await inviteAsOperator(service, other, 'viewer'));
    const { api } = await signInByMessenger(service, user);
    const { body } = await api('GET', '/dashboard/session');
    expect(body.projects.length).toBe(2);
    const switched = await api('PUT', '/dashboard/session', { project_id: other.id });
    expect(switched.body).toMatchObject({ project_id: other.id, role: 'viewer', scopes: ['read'] });
    expect((await api('GET', '/v1/project')).body.id).toBe(other.id);
    const stranger = await basic();
    expectError(await api('PUT', '/dashboard/session', { project_id: stranger.id }), 'not_found');
    // A download that began in the first project goes on: the person is still in its team.
    const { rows } = await service.pool.query<{ hash: Buffer }>(
      `SELECT s.hash FROM dashboard_sessions s JOIN members m ON m.account_id = s.account_id WHERE m.project_id = $1`,
      [one.id],
    );
    const callerIn = (projectId: string | null) =>
      findCallerBySession(service.pool, rows[0]!.hash, projectId);
    expect(await callerIn(one.id)).toMatchObject({ id: one.id, role: 'owner' });
    expect(await callerIn(null)).toMatchObject({ id: other.id, role: 'viewer' });
    expect(await callerIn(stranger.id)).toBeNull();
  });

  it('lists the sign-ins of the account and ends them', async () => {
    const project = await basic();
    const user = freshName('twice');
    const first = await createMember(service, project, user, 'viewer');
    const second = await signInByMessenger(service, user);
    const { body } = await second.api('GET', '/dashboard/sessions');
    expect(body.data.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    const { session_id: id } = body.data[1];
    const byKey = await project.api('DELETE', `/dashboard/sessions/${id}`);
    expectError(byKey, 'not_found');
    expect(Number(byKey.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect((await second.api('DELETE', `/dashboard/sessions/${id}`)).status).toBe(204);
    expectError(await first.api('GET', '/v1/project'), 'unauthorized');
  });
});

describe('a project of one’s own', () => {
  it('is created where the operator allows it, one on the free plan', async () => {
    const user = freshName('founder');
    const { api } = await signInByMessenger(service, user);
    expect((await api('GET', '/dashboard/session')).body).toMatchObject({ project_id: null, scopes: [] });
    expectError(await api('GET', '/v1/project'), 'forbidden');
    // Its own sign-ins are the account's, not a project's.
    const other = await signInByMessenger(service, user);
    const { body: signIns, headers } = await other.api('GET', '/dashboard/sessions');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect(signIns.data.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    expect((await api('DELETE', `/dashboard/sessions/${signIns.data[0].session_id}`)).status).toBe(204);
    expectError(await other.api('GET', '/dashboard/sessions'), 'unauthorized');
    const slug = freshName('own');
    const answers = await Promise.all(
      [slug, `${slug}-2`].map((each) => api('POST', '/dashboard/projects', { slug: each, name: 'Own' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    for (const answer of answers) expect(answer.headers.get('x-ratelimit-limit')).toBe('600');
    expectError(
      answers.find(({ status }) => status === 403)!,
      'plan_limit',
    );
    const { body } = await api('GET', '/dashboard/session');
    expect(body).toMatchObject({ role: 'owner', projects: [{ name: 'Own', role: 'owner' }] });
    expect((await api('PATCH', '/v1/project', { name: 'Renamed' })).body.name).toBe('Renamed');
  });
});
