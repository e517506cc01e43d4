import type { Channel } from '../../../src/base/contract/common';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import type { ChatMessage, User } from '../../support/simulator-control';
import {
  confirmedSession,
  createSession,
  eventsOf,
  lastBotMessage,
  linkOf,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
  type CreatedSession,
} from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());
afterEach(async () => {
  await service.control.faults('telegram', { clear: true });
  await service.control.faults('max', { clear: true });
});

async function says(channel: Channel, user: User, part: string): Promise<ChatMessage> {
  return eventually(async () => {
    const { messages } = await service.control.chat(channel, user);
    return messages.find((message) => message.from === 'bot' && message.text.includes(part));
  });
}

async function toasted(channel: Channel, user: User, part: string): Promise<void> {
  await eventually(async () => {
    const { toasts } = await service.control.chat(channel, user);
    return toasts.some((toast) => toast.text.includes(part));
  });
}

async function opened(
  project: TestProject,
  channel: Channel,
  user: User,
): Promise<{ session: CreatedSession; question: ChatMessage; yes: string; no: string }> {
  const session = await createSession(project);
  const question = await openAndWait(service, channel, user, startOf(linkOf(session, channel)));
  const [yes, no] = question.buttons[0] ?? [];
  return { session, question, yes: yes?.data ?? '', no: no?.data ?? '' };
}

async function codesOf(project: TestProject): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    'SELECT count(*) AS count FROM auth_sessions WHERE project_id = $1 AND code_hash IS NOT NULL',
    [project.id],
  );
  return rows[0]?.count ?? -1;
}

describe.each<Channel>(['telegram', 'max'])('the bot on %s', (channel) => {
  test('a static link ends with a button to the callback, and its code is good', async () => {
    const project = await service.createProject({ callback_url: 'https://shop.example/cb?from=bot' });
    const user = `static-${channel}`;
    await openAndWait(service, channel, user, `auth_${project.slug}`);
    await service.control.tap(channel, user, { button: 'Yes' });
    const message = await eventually(async () => {
      const last = await lastBotMessage(service, channel, user);
      return last?.edited && last.buttons[0]?.[0]?.url ? last : null;
    });
    const url = new URL(message.buttons[0]?.[0]?.url ?? '');
    expect(url.origin + url.pathname).toBe('https://shop.example/cb');
    expect(url.searchParams.get('from')).toBe('bot');
    expect(url.searchParams.has('state')).toBe(false);
    expect(
      (await project.api('POST', '/v1/auth/verify', { code: url.searchParams.get('code') })).status,
    ).toBe(200);
    // auth.completed is for sessions of the API only.
    expect((await eventsOf(service, project)).map((event) => event.name)).toEqual(['subscription.created']);
  });

  test('a session gets the button only where redirect_uri was passed', async () => {
    const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
    const [phone, desktop] = [`phone-${channel}`, `desktop-${channel}`];
    await confirmedSession(service, project, phone, {
      channel,
      body: { redirect_uri: 'https://shop.example/cb' },
    });
    await confirmedSession(service, project, desktop, { channel });
    await eventually(async () =>
      (await lastBotMessage(service, channel, phone))?.buttons[0]?.[0]?.url?.includes('state=st-1'),
    );
    await eventually(async () => {
      const last = await lastBotMessage(service, channel, desktop);
      return last?.edited && last.buttons.length === 0;
    });
  });

  test('no callback, an unknown slug and an inactive project answer alike: login is not set up', async () => {
    const bare = await service.createProject();
    const off = await service.createProject({ active: false, callback_url: 'https://shop.example/cb' });
    for (const [index, slug] of [bare.slug, 'no-such-slug', off.slug].entries()) {
      const user = `notset-${channel}-${index}`;
      await service.control.open(channel, user, { start: `auth_${slug}` });
      await says(channel, user, 'Login is not set up here.');
    }
  });

  test('a bare start gets help; garbage is answered politely; nothing is created', async () => {
    // By person: other tests share the service.
    const users = [(await service.control.open(channel, `bare-${channel}`, {})).user_id];
    await says(channel, `bare-${channel}`, 'confirms logins');
    for (const [index, start] of ['x'.repeat(65), 's_unknown', 'hello', 'auth_', '%00'].entries()) {
      const user = `garbage-${channel}-${index}`;
      const said = await service.control.say(channel, user, `/start ${start}`);
      users.push((said as typeof said & { user_id: number }).user_id);
      await eventually(() => lastBotMessage(service, channel, user));
      expect((await lastBotMessage(service, channel, user))?.buttons).toEqual([]);
    }
    const { rows: created } = await service.pool.query(
      `SELECT id FROM auth_sessions WHERE channel = $1 AND platform_user_id = ANY($2)
       UNION ALL SELECT id FROM subscribers WHERE channel = $1 AND platform_user_id = ANY($2)`,
      [channel, users.map(String)],
    );
    expect(created).toEqual([]);
  });

  test('a typed /start works where the link lost its payload', async () => {
    const project = await service.createProject();
    const session = await createSession(project);
    const user = `typed-${channel}`;
    await service.control.open(channel, user, {});
    await service.control.say(channel, user, `/start ${startOf(linkOf(session, channel))}`);
    await eventually(async () => (await lastBotMessage(service, channel, user))?.buttons.length);
    await service.control.tap(channel, user, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('two Yes taps at once, and Yes with No at once: one winner, and all agree', async () => {
    const project = await service.createProject();
    const twice = `twoyes-${channel}`;
    const first = await opened(project, channel, twice);
    await Promise.all(
      [1, 2].map(() =>
        service.control.tap(channel, twice, { message_id: first.question.message_id, data: first.yes }),
      ),
    );
    await waitForStatus(service, first.session.session_id, 'confirmed');
    expect(await codesOf(project)).toBe(1);

    const both = `yesno-${channel}`;
    const second = await opened(project, channel, both);
    await Promise.all(
      [second.yes, second.no].map((data) =>
        service.control.tap(channel, both, { message_id: second.question.message_id, data }),
      ),
    );
    const status = await eventually(async () => {
      const now = await statusInDatabase(service, second.session.session_id);
      return now === 'pending' ? null : now;
    });
    const confirmed = status === 'confirmed';
    const message = await eventually(async () => {
      const last = await lastBotMessage(service, channel, both);
      return last?.edited ? last : null;
    });
    expect(message.text.includes('logged in')).toBe(confirmed);
    expect(await codesOf(project)).toBe(confirmed ? 2 : 1);
    const completed = (await eventsOf(service, project)).filter((event) => event.name === 'auth.completed');
    expect(completed).toHaveLength(confirmed ? 2 : 1);
  });

  test('updates that come out of order are handled in the order in which the user acted', async () => {
    const project = await service.createProject();
    const user = `order-${channel}`;
    const { session, question, yes, no } = await opened(project, channel, user);
    // The simulator holds the first update back and delivers both in reverse.
    await service.control.faults(channel, { updates: 'reorder', times: 2 });
    await service.control.tap(channel, user, { message_id: question.message_id, data: yes });
    const tapped = Date.now();
    // The order of two updates of MAX is told by their times, in milliseconds.
    await eventually(() => Date.now() > tapped);
    await service.control.tap(channel, user, { message_id: question.message_id, data: no });
    await waitForStatus(service, session.session_id, 'confirmed');
    await toasted(channel, user, 'already been answered');
    const edited = await eventually(async () => {
      const last = await lastBotMessage(service, channel, user);
      return last?.edited ? last : null;
    });
    expect(edited.text).toContain('logged in');
    expect(await codesOf(project)).toBe(1);
  });

  test('updates that come twice have one effect', async () => {
    const project = await service.createProject();
    const user = `dup-${channel}`;
    await service.control.faults(channel, { updates: 'duplicate', times: 4 });
    const { session } = await opened(project, channel, user);
    await service.control.tap(channel, user, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
    await eventually(async () => (await lastBotMessage(service, channel, user))?.edited);
    const { messages } = await service.control.chat(channel, user);
    expect(messages.filter((message) => message.from === 'bot')).toHaveLength(1);
    expect((await eventsOf(service, project)).map((event) => event.name).sort()).toEqual([
      'auth.completed',
      'subscription.created',
    ]);
  });

  test("another user's tap, a forged nonce, and the right nonce on another message or chat change nothing", async () => {
    const project = await service.createProject();
    const [owner, thief] = [`owner-${channel}`, `thief-${channel}`];
    const { session, question, yes } = await opened(project, channel, owner);
    await service.control.open(channel, thief, {});
    const theirs = await says(channel, thief, 'confirms logins');
    await service.control.tap(channel, thief, { message_id: theirs.message_id, data: yes });
    await toasted(channel, thief, 'Only the person who opened the link');
    await service.control.tap(channel, owner, {
      message_id: question.message_id,
      data: `y:${'A'.repeat(32)}`,
    });
    await toasted(channel, owner, 'has expired');
    await service.control.open(channel, owner, {});
    const other = await says(channel, owner, 'confirms logins');
    await service.control.tap(channel, owner, { message_id: other.message_id, data: yes });
    const toasts = async () => ((await service.control.chat(channel, owner)).toasts ?? []).length;
    await eventually(async () => (await toasts()) >= 2);
    // The same user and message, in a group.
    const taps = () => service.control.callCount(channel, 'answerCallbackQuery');
    const answered = await taps();
    await service.control.tap(channel, owner, {
      message_id: question.message_id,
      data: yes,
      chat: 'group',
    });
    await eventually(async () => (await taps()) > answered);
    expect(await statusInDatabase(service, session.session_id)).toBe('pending');
    expect(await codesOf(project)).toBe(0);
    await service.control.tap(channel, owner, { message_id: question.message_id, data: yes });
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('a claimed link is in use for a second user; the first is unaffected', async () => {
    const project = await service.createProject();
    const [first, second] = [`first-${channel}`, `second-${channel}`];
    const { session } = await opened(project, channel, first);
    await service.control.open(channel, second, { start: startOf(linkOf(session, channel)) });
    await says(channel, second, 'already in use');
    await service.control.tap(channel, first, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('the same user opens it again: a new question, the old one disabled, still one session', async () => {
    const project = await service.createProject();
    const user = `again-${channel}`;
    const { session, question, yes } = await opened(project, channel, user);
    await openAndWait(service, channel, user, startOf(linkOf(session, channel)));
    await eventually(async () => {
      const { messages } = await service.control.chat(channel, user);
      return messages.find(
        (message) =>
          message.message_id === question.message_id && message.edited && message.buttons.length === 0,
      );
    });
    await service.control.tap(channel, user, { message_id: question.message_id, data: yes });
    await toasted(channel, user, 'newer question');
    expect(await statusInDatabase(service, session.session_id)).toBe('pending');
    await service.control.tap(channel, user, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
    expect(await codesOf(project)).toBe(1);
  });

  const deleted =
    channel === 'telegram'
      ? { status: 400, description: 'Bad Request: message to edit not found' }
      : { status: 404, code: 'not.found' };
  test.each([
    ['an edit that fails', { status: 400 }],
    ['a message that was deleted', deleted],
  ])('%s does not keep the login from completing', async (what, fault) => {
    const project = await service.createProject();
    const user = `${what.replaceAll(' ', '-')}-${channel}`;
    await service.control.faults(channel, { method: 'editMessageText', times: 50, ...fault });
    await service.control.faults(channel, { method: 'answerCallbackQuery', times: 50, ...fault });
    const { session } = await opened(project, channel, user);
    await service.control.tap(channel, user, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
    const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status`);
    expect((await project.api('POST', '/v1/auth/verify', { code: body.code })).status).toBe(200);
  });

  test('a dropped connection and a 429 while asking are survived', async () => {
    const project = await service.createProject();
    await service.control.faults(channel, { method: 'sendMessage', times: 1, drop: true });
    await service.control.faults(channel, { method: 'sendMessage', times: 1, status: 429, retry_after: 1 });
    const { session } = await opened(project, channel, `flaky-${channel}`);
    await service.control.tap(channel, `flaky-${channel}`, { button: 'Yes' });
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('a user without a username is returned with null', async () => {
    const project = await service.createProject();
    const { status } = await confirmedSession(service, project, `nameless-${channel}`, {
      channel,
      profile: { first_name: 'שלום \u202Eabc 🙂' },
    });
    const { body } = await project.api('POST', '/v1/auth/verify', { code: status.code });
    expect(body).toMatchObject({ first_name: 'שלום \u202Eabc 🙂', username: null, lang: 'en' });
  });
});

test('MAX sends message: null with a tap, and the login still completes', async () => {
  const project = await service.createProject();
  const { session } = await opened(project, 'max', 'null-message');
  await service.control.faults('max', { updates: 'message_null', times: 1 });
  await service.control.tap('max', 'null-message', { button: 'Yes' });
  await waitForStatus(service, session.session_id, 'confirmed');
});

test('a callback that is too old to be answered still counts', async () => {
  const project = await service.createProject();
  const { session, question, yes } = await opened(project, 'telegram', 'stale');
  await service.control.tap('telegram', 'stale', {
    message_id: question.message_id,
    data: yes,
    stale: true,
  });
  await waitForStatus(service, session.session_id, 'confirmed');
});

test('/start in a group brings no question', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await service.control.open('telegram', 'grouper', { start: startOf(session.telegram_link), chat: 'group' });
  // Something that is surely handled after it, in the order of the platform.
  await service.control.open('telegram', 'after-group', {});
  await says('telegram', 'after-group', 'confirms logins');
  await eventually(async () => {
    const { rows } = await service.pool.query('SELECT 1 FROM bot_updates WHERE handled_at IS NULL');
    return rows.length === 0;
  });
  const { rows } = await service.pool.query('SELECT 1 FROM auth_prompts WHERE session_id = $1', [
    session.session_id,
  ]);
  expect(rows).toHaveLength(0);
});

test('a static link opened six times within a minute asks the user to wait; one session lives', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
  for (let i = 0; i < 6; i += 1) {
    await service.control.open('telegram', 'eager', { start: `auth_${project.slug}` });
  }
  await says('telegram', 'eager', 'too many login links');
  const { rows } = await service.pool.query(
    `SELECT 1 FROM auth_sessions WHERE project_id = $1 AND flow = 'static'`,
    [project.id],
  );
  expect(rows).toHaveLength(1);
});
