import type { Channel } from '../../../src/contract/common';
import type { Role } from '../../../src/contract/scopes';
import { operator } from '../../../src/team/granting';
import { createInvitation, tokenOf } from '../../../src/team/invitations';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import { createApi, type Api, type TestService } from '../../support/service';
import type { ChatMessage } from '../../support/simulator-control';
import { lastBotMessage, startOf } from '../login/fixture';

/** What the dashboard's own pages send with each request. */
export const ownPage = { 'x-herald-dashboard': '1', 'sec-fetch-site': 'same-origin' };

/** A browser: keeps its cookies and sends them again. */
export interface Browser {
  api: Api;
  cookies: Map<string, string>;
}

export function createBrowser(service: TestService): Browser {
  const cookies = new Map<string, string>();
  const send = createApi(service.url, null);
  return {
    cookies,
    api: async (method, path, body, headers = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await send<any>(method, path, body, { ...ownPage, cookie, ...headers }); // eslint-disable-line @typescript-eslint/no-explicit-any
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
  { service }: TestService,
  project: { id: string },
  role: Role,
): Promise<string> {
  const work = { id: randomUUID(), resumed: false };
  const invitation = await createInvitation(service.core, project.id, { role }, operator, work);
  return `join_${tokenOf(service.core, invitation)}`;
}

/** Opens a link and waits until the bot asks. */
async function openQuestion(
  service: TestService,
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
  service: TestService,
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
  service: TestService,
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
  service: TestService,
  project: { id: string },
  user: string,
  role: Role,
): Promise<Browser> {
  await join(service, user, await inviteAsOperator(service, project, role));
  return signInByMessenger(service, user);
}
