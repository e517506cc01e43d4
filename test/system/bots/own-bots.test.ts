import { randomInt } from 'node:crypto';
import { eventually } from '../../support/eventually';
import type { Api } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  simulatedChannels,
  type SimulatedChannel,
  createSimulatorControl,
  testBots,
  type SimulatorControl,
} from '../../support/simulator-control';
import { expectError } from '../http/fixture';
import { createSession, linkOf, openAndWait, startOf } from '../login/fixture';
import { freshName, subscribePerson, type Person } from '../messages/fixture';

let first: TestService;
let second: TestService;
const logLines: string[] = [];

beforeAll(async () => {
  // Its own: two processes of one installation, and their logs.
  first = await startTestService({ logLines, queues: ['logins', 'broadcasts'] });
  const { database, simulator, queuePrefix } = first;
  second = await startTestService({ database, simulator, queuePrefix, logLines, queues: [] });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const newToken = (channel: SimulatedChannel) =>
  channel === 'telegram'
    ? `${randomInt(1e9, 2e9)}:${freshName('own-bot-token')}`
    : freshName('own-max-bot-token');

/** A project as the second process sees it. */
const elsewhere = (project: TestProject): Api => second.apiWith(project.api_key);

interface Connected {
  token: string;
  username: string;
  control: SimulatorControl;
}

async function connect(
  project: TestProject,
  channel: SimulatedChannel,
  token = newToken(channel),
): Promise<Connected> {
  const { status, body } = await project.api('PUT', `/v1/channels/${channel}`, { token });
  expect([status, body]).toEqual([
    200,
    { channel, bot_username: expect.stringMatching(/^own_\d+_bot$/), own: true, status: 'connected' },
  ]);
  const username = body['bot_username'] as string;
  return { token, username, control: createSimulatorControl(first.simulator.url, { bot: username }) };
}

const subscribeLink = async (api: Api, channel: SimulatedChannel): Promise<URL> =>
  new URL((await api('GET', '/v1/subscribe-link')).body[`${channel}_link`]);

const through = (control: SimulatorControl): TestService => ({ ...first, control });

async function texts(control: SimulatorControl, { channel, name }: Pick<Person, 'channel' | 'name'>) {
  const { messages } = await control.chat(channel, name);
  return messages.filter(({ from }) => from === 'bot').map(({ text }) => text);
}

const statusOf = async (api: Api, channel: SimulatedChannel) =>
  (await api('GET', '/v1/channels')).body.data.find(
    (each: { channel: SimulatedChannel }) => each.channel === channel,
  );

describe.each(simulatedChannels)('an own bot on %s', (channel) => {
  it('helps in the words of its project', async () => {
    const project = await first.createProject({ name: 'Shop' });
    await project.api('PUT', '/v1/project/texts', { help: { en: '{{first_name}}, ask {{project}}.' } });
    const { control } = await connect(project, channel);
    const name = freshName();
    await control.open(channel, name, { first_name: 'Anna', language_code: 'en' });
    await eventually(async () => (await texts(control, { channel, name })).at(-1) === 'Anna, ask Shop.');
  });

  it('serves links, logins, messages, codes and broadcasts of its project, in every process', async () => {
    const project = await first.createProject({ name: 'Shop' });
    const old = await subscribePerson(first, project, channel);
    const bot = await connect(project, channel);
    expect((await subscribeLink(project.api, channel)).searchParams.get('bot')).toBe(bot.username);
    await eventually(
      async () => (await subscribeLink(elsewhere(project), channel)).searchParams.get('bot') === bot.username,
    );
    expect(await statusOf(elsewhere(project), channel)).toEqual({
      channel,
      bot_username: bot.username,
      own: true,
      status: 'connected',
    });

    const name = freshName();
    const session = await createSession({ ...project, api: elsewhere(project) });
    expect(new URL(linkOf(session, channel)).searchParams.get('bot')).toBe(bot.username);
    await openAndWait(through(bot.control), channel, name, startOf(linkOf(session, channel)));
    await bot.control.tap(channel, name, { button: 'Yes' });
    const { code } = await eventually(async () => {
      const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status?wait=5`);
      return body.status === 'confirmed' && body;
    });
    const { body: user } = await project.api('POST', '/v1/auth/verify', { code });
    await eventually(async () => (await texts(bot.control, { channel, name })).join().includes('logged in'));
    expect(await texts(first.control, { channel, name })).toEqual([]);

    const person = { channel, name, subscriberId: user['subscriber_id'] as string };
    for (const [api, { subscriberId }] of [
      [project.api, person],
      [elsewhere(project), old],
    ] as const) {
      const sent = await api('POST', '/v1/send', { subscriber_id: subscriberId, text: 'one message' });
      expect(sent.body).toMatchObject({ sent: 1 });
    }
    expect((await project.api('POST', '/v1/otp/send', { subscriber_id: person.subscriberId })).status).toBe(
      200,
    );
    const started = await project.api('POST', '/v1/broadcast', { text: 'to everyone' });
    await eventually(async () => {
      const { body } = await project.api('GET', `/v1/broadcast/${started.body.job_id}`);
      return body.status === 'completed' && body.sent === 2;
    });
    expect((await texts(bot.control, person)).slice(1)).toEqual([
      'one message',
      expect.stringContaining('Your code'),
      'to everyone',
    ]);
    expect((await texts(first.control, old)).slice(1)).toEqual(['one message', 'to everyone']);
    expect(await texts(bot.control, old)).toEqual([]);
    expect(logLines.join()).not.toContain(bot.token);
    const { rows } = await first.pool.query('SELECT * FROM project_bots');
    expect(JSON.stringify(rows)).not.toContain(bot.token);
  });

  it('takes over a subscriber who comes to it, with id, tags and external_id', async () => {
    const project = await first.createProject();
    const person = await subscribePerson(first, project, channel);
    const about = { tags: ['vip'], external_id: 'user-42' };
    await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, about);
    const bot = await connect(project, channel);
    await bot.control.open(channel, person.name, {});
    await eventually(async () => {
      await project.api('POST', '/v1/send', { external_id: 'user-42', text: 'here' });
      return (await texts(bot.control, person)).includes('here');
    });
    expect((await project.api('GET', `/v1/subscribers/${person.subscriberId}`)).body).toMatchObject(about);

    // Blocking the bot that they left changes nothing; blocking the one that they came to does.
    await first.control.block(channel, person.name);
    await eventually(async () => (await first.control.stats(channel)).pending_updates === 0);
    expect((await project.api('POST', '/v1/send', { external_id: 'user-42', text: 'still' })).body.sent).toBe(
      1,
    );
    await bot.control.block(channel, person.name);
    await eventually(
      async () => (await project.api('GET', `/v1/subscribers/${person.subscriberId}`)).body.blocked === true,
    );
  });

  it('serves no other project', async () => {
    const [project, other] = [
      await first.createProject(),
      await first.createProject({ callback_url: 'https://other.example/callback', plan: 'basic' }),
    ];
    const bot = await connect(project, channel);
    const otherBot = await connect(other, channel);
    const session = await createSession(other);
    const name = freshName();
    const startOfNew = async (path: string, body: object) => {
      const { body: created } = await other.api('POST', path, body);
      return startOf(created[`${channel}_link`]);
    };
    const links = [
      await startOfNew('/v1/subscribe-links', {}),
      await startOfNew('/v1/invitations', { role: 'viewer' }),
    ];
    const signIn = await first.apiWith(null)('POST', '/dashboard/login');
    const starts = [
      startOf(linkOf(session, channel)),
      `auth_${other.slug}`,
      `proj_${other.slug}`,
      ...links,
      startOf(signIn.body[`${channel}_link`]),
    ];
    for (const [index, start] of starts.entries()) {
      await bot.control.open(channel, name, { start });
      await eventually(async () => (await texts(bot.control, { channel, name })).length === index + 1);
    }
    expect(await texts(bot.control, { channel, name })).toEqual([
      expect.stringContaining('not valid'),
      'Login is not set up here.',
      ...Array.from({ length: 3 }, () => expect.stringContaining('This link is not valid')),
      expect.stringContaining('not valid'),
    ]);
    expect((await other.api('GET', '/v1/subscribers')).body.data).toEqual([]);
    // The same links are good where they lead: in the bot of their project, and for a team in the shared one.
    for (const [index, { control }] of [otherBot, first].entries()) {
      await control.open(channel, name, { start: links[index] });
      const said = await eventually(async () => (await texts(control, { channel, name }))[0]);
      expect(said).toContain(['You are subscribed', 'Join the team'][index]);
    }
  });

  it('is replaced and removed without a restart', async () => {
    const project = await first.createProject();
    const bot = await connect(project, channel);
    const person = await subscribePerson(through(bot.control), project, channel);
    const next = await connect(project, channel);
    const link = () => subscribeLink(elsewhere(project), channel);
    await eventually(async () => (await link()).searchParams.get('bot') === next.username);
    const polls = await eventually(() => next.control.callCount(channel, 'getUpdates'));
    expect(polls).toBeGreaterThan(0);
    // The old bot is not polled any more, and its last poll ends with its leader. The process that stood by for it may poll
    // once more before it learns of the change.
    await eventually(async () => {
      const before = await bot.control.callCount(channel, 'getUpdates');
      const greetings = (await texts(next.control, person)).length;
      await next.control.open(channel, person.name, { start: `proj_${project.slug}` });
      await eventually(async () => (await texts(next.control, person)).length > greetings);
      return (await bot.control.callCount(channel, 'getUpdates')) === before;
    });
    const send = () => project.api('POST', '/v1/send', { subscriber_id: person.subscriberId, text: 'hello' });
    expect((await send()).body).toMatchObject({ sent: 1 });

    expect((await project.api('DELETE', `/v1/channels/${channel}`)).status).toBe(204);
    expect((await subscribeLink(project.api, channel)).searchParams.get('bot')).toBeNull();
    await eventually(async () => (await link()).searchParams.get('bot') === null);
    expect(await statusOf(project.api, channel)).toEqual({
      channel,
      bot_username: testBots[channel].username,
      own: false,
      status: 'connected',
    });
    // Only the removed bot could reach them, until they open the shared one.
    expect((await send()).body.details).toMatchObject([{ status: 'failed', reason: 'chat_not_found' }]);
    await first.control.open(channel, person.name, { start: `proj_${project.slug}` });
    await eventually(async () => (await texts(first.control, person)).length > 0);
    expect((await send()).body).toMatchObject({ sent: 1 });
    expect((await project.api('DELETE', `/v1/channels/${channel}`)).status).toBe(204);
  });

  it('keeps its subscribers when its token is replaced', async () => {
    const project = await first.createProject();
    const bot = await connect(project, channel);
    const person = await subscribePerson(through(bot.control), project, channel);
    const again = await connect(project, channel, bot.token);
    expect(again.username).toBe(bot.username);
    if (channel === 'telegram') {
      await connect(project, channel, bot.token.replace(/:.*/, `:${freshName('another-token')}`));
    }
    const sent = await project.api('POST', '/v1/send', { subscriber_id: person.subscriberId, text: 'hello' });
    expect(sent.body).toMatchObject({ sent: 1 });
  });

  it('holds up nobody else with its 429s and outages', async () => {
    const project = await first.createProject();
    const neighbour = await first.createProject();
    const bot = await connect(project, channel);
    const own = await subscribePerson(through(bot.control), project, channel);
    const shared = await subscribePerson(first, neighbour, channel);
    await bot.control.faults(channel, { method: 'sendMessage', delay_ms: 4_000, drop: true, times: 1_000 });
    // More chats than one bot may occupy in a process.
    await Promise.all(Array.from({ length: 40 }, (_, i) => bot.control.open(channel, `stalled-${i}`, {})));
    const replies = async () =>
      (await texts(first.control, shared)).filter((text) => /understand/.test(text)).length;
    // A slow machine may need more than the four seconds of the stalled call: then both are sent again.
    await eventually(async () => {
      const pending = project.api('POST', '/v1/send', { subscriber_id: own.subscriberId, text: 'late' });
      let isStalledOver = false;
      void pending.then(() => (isStalledOver = true));
      const before = await replies();
      await first.control.say(channel, shared.name, 'hello?');
      const sent = await neighbour.api('POST', '/v1/send', {
        subscriber_id: shared.subscriberId,
        text: 'now',
      });
      expect(sent.body).toMatchObject({ sent: 1 });
      await eventually(async () => (await replies()) > before);
      const wasHeldUp = isStalledOver;
      expect((await pending).body).toMatchObject({ failed: 1 });
      return !wasHeldUp;
    });
    await bot.control.faults(channel, { clear: true });
    await project.api('DELETE', `/v1/channels/${channel}`);
  });

  it('shows its owner that the messenger refuses it, and that it is back', async () => {
    const project = await first.createProject();
    const bot = await connect(project, channel);
    const person = await subscribePerson(through(bot.control), project, channel);
    await bot.control.faults(channel, { method: '*', status: 401, times: 1_000 });
    const sent = await project.api('POST', '/v1/send', { subscriber_id: person.subscriberId, text: 'hello' });
    expect(sent.body.details).toMatchObject([{ reason: 'bot_banned' }]);
    const refused = await eventually(async () => {
      const shown = await statusOf(elsewhere(project), channel);
      return shown.status === 'away' ? shown : undefined;
    });
    expect(refused.error).toMatch(/\w+/);
    expect(JSON.stringify(refused)).not.toContain(bot.token);
    await bot.control.faults(channel, { clear: true });
    await connect(project, channel, bot.token);
    expect(await statusOf(project.api, channel)).toEqual({
      channel,
      bot_username: bot.username,
      own: true,
      status: 'connected',
    });
  });

  it('is refused if it cannot be asked, is refused by the messenger or is used already', async () => {
    const [project, other] = [await first.createProject(), await first.createProject()];
    const put = (api: Api, token: unknown) => api('PUT', `/v1/channels/${channel}`, { token });
    for (const token of ['nonsense', '12345678:with/slash/in/it', '12345678:with space in it']) {
      if (channel === 'max' && !token.includes(' ') && token !== 'nonsense') continue;
      expectError(await put(project.api, token), 'invalid_bot_token');
    }
    expectError(
      await put(project.api, `${randomInt(1e9, 2e9)}:a-revoked-token-of-a-bot`),
      'invalid_bot_token',
    );
    expectError(await put(project.api, 7), 'validation_failed', 'token');
    expectError(await put(project.api, testBots[channel].token), 'conflict');
    await first.control.faults(channel, { method: 'getMe', drop: true });
    expectError(await put(project.api, newToken(channel)), 'platform_busy');

    const token = newToken(channel);
    const both = await Promise.all([put(project.api, token), put(elsewhere(other), token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const loser = both[0].status === 409 ? project : other;
    expect(await statusOf(loser.api, channel)).toMatchObject({ own: false });
    // A short token is refused by Telegram, if at all.
    if (channel === 'telegram') await connect(loser, channel, `${randomInt(1e9, 2e9)}:x`);
  });
});

describe.each(simulatedChannels)('/stop on %s', (channel) => {
  it('asks a user of several projects which one to stop', async () => {
    const projects = [
      await first.createProject({ name: 'Shop' }),
      await first.createProject({ name: 'Bank' }),
      await first.createProject({ name: 'News' }),
    ];
    const name = freshName();
    for (const [index, { slug }] of projects.entries()) {
      await first.control.open(channel, name, { start: `proj_${slug}` });
      await eventually(async () => (await texts(first.control, { channel, name })).length === index + 1);
    }
    const own = await connect(projects[0] as TestProject, channel);
    await own.control.open(channel, name, {});
    await eventually(async () => (await texts(own.control, { channel, name })).length === 1);
    const actives = async () =>
      Promise.all(projects.map(async ({ api }) => (await api('GET', '/v1/subscribers')).body.data[0].active));

    // The first project has its own bot, so the shared one asks about the others.
    const lastMessage = async () => (await first.control.chat(channel, name)).messages.at(-1);
    await first.control.say(channel, name, '/stop');
    const question = await eventually(async () => {
      const message = await lastMessage();
      return message?.from === 'bot' && message.buttons.length > 0 ? message : null;
    });
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['Bank', 'News', 'All']);
    expect(await actives()).toEqual([true, true, true]);
    await first.control.tap(channel, name, { button: 'Bank' });
    const chosen = await eventually(async () => {
      const message = await lastMessage();
      return message?.buttons.length === 0 ? message.text : null;
    });
    expect(chosen).toContain('• Bank');
    expect(await actives()).toEqual([true, false, true]);

    // One is left, so nothing is asked. The reply is the same when the first try to send it fails.
    await first.control.faults(channel, { method: 'sendMessage', status: 502, times: 1, user: name });
    await first.control.say(channel, name, '/stop');
    await eventually(async () => /• News/.test((await lastMessage())?.text ?? ''));
    expect(await actives()).toEqual([true, false, false]);
    await own.control.say(channel, name, '/stop');
    await eventually(async () => (await texts(own.control, { channel, name })).join().includes('• Shop'));
    expect(await actives()).toEqual([false, false, false]);
  });
});

it('goes on when the process that polls it is gone', async () => {
  const project = await first.createProject();
  const bot = await connect(project, 'telegram');
  await subscribePerson(through(bot.control), project, 'telegram');
  const { database, simulator, queuePrefix } = first;
  const third = await startTestService({ database, simulator, queuePrefix, roles: 'api,bots' });
  // As a kill leaves it: PostgreSQL ends the connections, and with them the locks of every leader.
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'herald leader'`,
  );
  await second.stop();
  second = third;
  await subscribePerson(through(bot.control), project, 'telegram');
  await subscribePerson(first, project, 'max');
});
