import type { Channel } from '../../../src/base/contract/common';
import type { Role } from '../../../src/base/contract/scopes';
import { sha256 } from '../../../src/base/lib/tokens';
import { operator } from '../../../src/domains/projects/team/granting';
import { createInvitation, tokenOf } from '../../../src/domains/projects/team/invitations';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import type { Api } from '../../support/api';
import { testCipher, type Installation, type TestProject } from '../../support/installation';
import type { ChatMessage } from '../../support/simulator-control';
import { lastBotMessage, startOf } from '../login/fixture';
import { ownPage } from '../../support/own-page';

/** A browser: keeps its cookies and sends them again. */
export interface Browser {
  api: Api;
  cookies: Map<string, string>;
}

export function createBrowser(service: Installation): Browser {
  const cookies = new Map<string, string>();
  const send = service.apiWith(null);
  return {
    cookies,
    api: async (method, path, body, headers = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await send<any>(method, path, body, { ...ownPage, cookie, ...headers }); // oxlint-disable-line typescript/no-explicit-any
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  };
}

/** What `herald member invite` does. Returns the start parameter of the link. */
export async function inviteAsOperator(
  { pool }: Installation,
  project: { id: string },
  role: Role,
): Promise<string> {
  const work = { id: randomUUID(), resumed: false };
  const deps = { pool, cipher: testCipher };
  const invitation = await createInvitation(deps, project.id, { role }, operator, work);
  return `join_${tokenOf(deps, invitation)}`;
}

/** Opens a link and waits until the bot asks. */
async function openQuestion(
  service: Installation,
  channel: Channel,
  user: string,
  start: string,
): Promise<ChatMessage> {
  await service.control.open(channel, user, { start, first_name: user });
  return eventually(async () => {
    const last = await lastBotMessage(service, channel, user);
    return last?.buttons.flat().some(({ text }) => text === 'Yes') ? last : undefined;
  });
}

/** Opens an invitation and taps Yes. Returns the bot's last words. */
export async function join(
  service: Installation,
  user: string,
  start: string,
  channel: Channel = 'telegram',
): Promise<string> {
  await openQuestion(service, channel, user, start);
  await service.control.tap(channel, user, { button: 'Yes' });
  return eventually(async () => {
    const last = await lastBotMessage(service, channel, user);
    return last?.edited ? last.text : undefined;
  });
}

/** Signs a person in by messenger, in a browser of their own. */
export async function signInByMessenger(
  service: Installation,
  user: string,
  channel: Channel = 'telegram',
  browser = createBrowser(service),
): Promise<Browser> {
  const { status, body } = await browser.api('POST', '/dashboard/login');
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  const link = body[`${channel}_link`] as string;
  await openQuestion(service, channel, user, startOf(link));
  await service.control.tap(channel, user, { button: 'Yes' });
  const poll = await browser.api('GET', `/dashboard/login/${body.login_id}?wait=20`);
  if (poll.body.status !== 'confirmed') throw new Error(JSON.stringify(poll.body));
  return browser;
}

/** A member of the project who has signed in. */
export async function createMember(
  service: Installation,
  project: { id: string },
  user: string,
  role: Role,
): Promise<Browser> {
  await join(service, user, await inviteAsOperator(service, project, role));
  return signInByMessenger(service, user);
}

/** What the routes of a team take. */
export interface Team {
  member: string;
  invitation: string;
  login: { id: string; cookie: string };
  /** The cookie of an account that is the project's owner. */
  cookie: string;
  /** A sign-in by the project's key. */
  keySession: string;
}

export async function createTeam(service: Installation, project: TestProject): Promise<Team> {
  const member = await insertMemberRow(service, project, 'viewer');
  const owner = await insertMemberRow(service, project, 'owner');
  const { body: invitation } = await project.api('POST', '/v1/invitations', { role: 'viewer' });
  const login = await fetch(`${service.url}/dashboard/login`, { method: 'POST' });
  const { login_id: id } = (await login.json()) as { login_id: string };
  await project.api('POST', '/dashboard/session', { api_key: project.api_key }, ownPage);
  const { body: sessions } = await project.api('GET', '/dashboard/sessions');
  return {
    member: member.memberId,
    invitation: invitation.invitation_id,
    login: { id, cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
    cookie: owner.cookie,
    keySession: sessions.data[0].session_id,
  };
}

/** A member with a session, without the way through the messenger. */
export async function insertMemberRow(
  { pool }: Installation,
  project: { id: string },
  role: Role,
): Promise<{ memberId: string; cookie: string }> {
  const name = randomUUID();
  const { rows } = await pool.query<{ id: string }>(
    `WITH account AS (
       INSERT INTO accounts (channel, platform_user_id, chat_id, first_name, lang)
       VALUES ('telegram', $1, $1, $1, 'en') RETURNING id
     ), session AS (
       INSERT INTO dashboard_sessions (hash, account_id, project_id, expires_at)
       SELECT $2, id, $3, now() + interval '1 hour' FROM account
     )
     INSERT INTO members (project_id, account_id, role) SELECT $3, id, $4 FROM account RETURNING id`,
    [name, sha256(name), project.id, role],
  );
  return { memberId: rows[0]?.id ?? '', cookie: `herald_dashboard=${name}` };
}
