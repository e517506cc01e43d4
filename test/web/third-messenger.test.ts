import type { Browser } from 'playwright-core';
import { registerPlatform } from '../../src/domains/bots/registry';
import { eventually } from '../support/eventually';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { expectError } from '../system/http/fixture';
import { createSession, startOf } from '../system/login/fixture';
import { launchBrowser, visit } from './fixture';
import { owl } from './owl/platform';
import { startOwlServer, type OwlBot, type OwlServer } from './owl/server';

/** A messenger is one Platform: this one exists only in the folder of the tests. */
registerPlatform(owl);

let server: OwlServer;
let service: TestService;
let browser: Browser;
let project: TestProject;
let shared: OwlBot;
beforeAll(async () => {
  server = await startOwlServer();
  shared = server.bot(1);
  [service, browser] = await Promise.all([
    // Its own: the made-up messenger is registered in this process only.
    startTestService({ env: { OWL_BOT_TOKEN: 'owl-1-sharedsecret', OWL_API_ROOT: server.url } }),
    launchBrowser(),
  ]);
  project = await service.createProject({ name: 'Shop' });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await server?.stop();
});

/** Logs a user in and returns the verified user. */
async function logIn(user: string, bot: OwlBot) {
  const session = await createSession(project);
  const { owl_link: link } = session as unknown as Record<string, string>;
  bot.open(user, startOf(link ?? ''));
  await eventually(() => Promise.resolve(bot.textsTo(user).join().includes(session.match_code)));
  bot.tap(user, 'Yes');
  const { code } = await eventually(async () => {
    const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status?wait=5`);
    return body.status === 'confirmed' && body;
  });
  const { body } = await project.api('POST', '/v1/auth/verify', { code });
  return { link, subscriberId: body['subscriber_id'] as string, body };
}

async function broadcast(body: Record<string, unknown>) {
  const { body: started } = await project.api('POST', '/v1/broadcast', body);
  return eventually(async () => {
    const { body: job } = await project.api('GET', `/v1/broadcast/${started.job_id}`);
    return job.status === 'completed' && job;
  });
}

it('logs people in, and sends them messages and broadcasts', async () => {
  const { link, subscriberId, body } = await logIn('ada', shared);
  expect(link).toMatch(/^https:\/\/owl\.example\/owl_1\?start=s_/);
  expect(body).toMatchObject({ channel: 'owl', first_name: 'ada' });

  const message = { text: 'It is **ready**', format: 'markdown' };
  const sent = await project.api('POST', '/v1/send', { subscriber_id: subscriberId, ...message });
  expect(sent).toMatchObject({ status: 200, body: { sent: 1 } });
  expect(await broadcast({ text: 'to everyone', channel: 'owl' })).toMatchObject({ sent: 1, failed: 0 });
  // The question is edited after the session is confirmed.
  await eventually(() => shared.textsTo('ada')[0]?.includes('logged in'));
  expect(shared.textsTo('ada')).toEqual([
    expect.stringContaining('logged in'),
    'It is ^ready^',
    'to everyone',
  ]);
});

it('serves a project through its own bot', async () => {
  const { subscriberId } = await logIn('bob', shared);
  expectError(await project.api('PUT', '/v1/channels/owl', { token: 'no owl' }), 'invalid_bot_token');
  expectError(await project.api('PUT', '/v1/channels/owl', { token: 'owl-1-anothertoken' }), 'conflict');
  const connected = await project.api('PUT', '/v1/channels/owl', { token: 'owl-2-secretofshop' });
  const own = { channel: 'owl', bot_username: 'owl_2', own: true, status: 'connected' };
  expect(connected).toMatchObject({ status: 200, body: own });
  expect((await project.api('GET', '/v1/channels')).body.data).toContainEqual(own);

  const bot = server.bot(2);
  expect((await logIn('eve', bot)).link).toContain('/owl_2?');
  expect(shared.textsTo('eve')).toEqual([]);
  // Bob has come to the shared bot only; once he opens the other one, the same chat reaches him there.
  bot.open('bob', `proj_${project.slug}`);
  await eventually(() => Promise.resolve(bot.textsTo('bob').length > 0));
  await project.api('POST', '/v1/send', { subscriber_id: subscriberId, text: 'through the new bot' });
  expect(bot.textsTo('bob').at(-1)).toBe('through the new bot');
  expect((await project.api('DELETE', '/v1/channels/owl')).status).toBe(204);
});

it('is a channel of the API and of its description; other names are refused', async () => {
  const { body: description } = await service.apiWith(null)('GET', '/openapi.json');
  const { schema } = description.paths['/v1/subscribers'].get.parameters.find(
    ({ name }: { name: string }) => name === 'channel',
  );
  expect(schema.enum).toEqual(['telegram', 'max', 'owl']);
  const links = await project.api('GET', '/v1/subscribe-link');
  expect(links.body).toMatchObject({ owl_link: expect.stringContaining('/owl_1?'), owl_mini_app: null });
  expectError(
    await project.api('GET', '/v1/subscribers?channel=pigeon'),
    'validation_failed',
    /^channel: .*telegram.*max.*owl/,
  );
  expectError(await project.api('PUT', '/v1/channels/pigeon', { token: 'any' }), 'not_found');
});

it('is offered by the hosted page and shown by the dashboard', async () => {
  const { page, complaints } = await visit(browser);
  const { hosted_url } = await createSession(project);
  await page.goto(hosted_url);
  await page.getByRole('link', { name: 'Open Owl' }).waitFor();
  await page.getByRole('tab', { name: 'Owl' }).click();
  await page.getByRole('img', { name: 'QR code to log in with Owl' }).waitFor();

  await page.goto(`${service.url}/dashboard/channels`);
  await page.getByRole('button', { name: 'Continue with Owl' }).waitFor();
  await page.getByRole('link', { name: 'Use an API key' }).click();
  await page.getByLabel('Project API key').fill(project.api_key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Owl' }) });
  await panel.getByText('@owl_1').waitFor();
  await panel.getByText('From the owlery.').waitFor();
  await page.goto(`${service.url}/dashboard/subscribers?channel=owl`);
  await page.getByRole('row', { name: /ada.*Owl/ }).waitFor();
  // The first request asks who is signed in.
  expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
});
