import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import type { ChatMessage } from '../../support/simulator-control';
import { blockBilling, eventsOf, subscribePerson, type Person } from '../messages/fixture';

interface Created {
  request_id: string;
  status: string;
  match_code: string;
  expires_in: number;
}

interface Status {
  request_id: string;
  status: string;
  subscriber_id: string | null;
  decided_at: string | null;
  expires_in: number;
  code?: string;
  state?: string;
  reason?: string;
}

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());

const MESSAGE = 'Approve the payment of 50 €?';

async function ask(project: TestProject, body: Record<string, unknown>): Promise<Created> {
  const response = await project.api<Created>('POST', '/v1/auth/requests', { message: MESSAGE, ...body });
  expect([response.status, response.body]).toEqual([201, expect.anything()]);
  return response.body;
}

/** The bot's question, once it is there. */
function questionTo(person: Person): Promise<ChatMessage> {
  return eventually(async () => {
    const { messages } = await service.control.chat(person.channel, person.name);
    return messages.find(({ buttons }) => buttons.length > 0);
  });
}

function untilEdited(person: Person, text: RegExp): Promise<ChatMessage> {
  return eventually(async () => {
    const { messages } = await service.control.chat(person.channel, person.name);
    return messages.find(
      (message) => message.edited && message.buttons.length === 0 && text.test(message.text),
    );
  });
}

function read(project: TestProject, id: string, wait = 0) {
  return project.api<Status>('GET', `/v1/auth/requests/${id}?wait=${wait}`);
}

async function creditsOf(project: TestProject): Promise<number> {
  const { rows } = await service.pool.query('SELECT 1 FROM credit_ledger WHERE project_id = $1', [
    project.id,
  ]);
  return rows.length;
}

test('the bot asks, Yes approves, costs one credit and is told by an event; the message is edited', async () => {
  const project = await service.createProject({ name: 'Shop' });
  const person = await subscribePerson(service, project);
  const request = await ask(project, {
    subscriber_id: person.subscriberId,
    client_ip: '203.0.113.7',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36',
  });
  expect(request).toEqual({
    request_id: expect.any(String),
    status: 'pending',
    match_code: expect.stringMatching(/^[0-9A-Z]{4}$/),
    expires_in: 300,
  });
  const { text, buttons } = await questionTo(person);
  expect(text).toContain(`Shop: ${MESSAGE}\n\nCode on the screen:\n${request.match_code}`);
  expect(text).toContain('Device: Chrome on Linux · 203.0.113.7');
  expect(buttons.flat().map((button) => button.text)).toEqual(['Yes', 'No']);
  const asked = await read(project, request.request_id);
  expect(asked.body).toMatchObject({
    status: 'pending',
    subscriber_id: person.subscriberId,
    decided_at: null,
  });

  // Of two polls within a second the later one is refused; a slow machine may need several to make two.
  const early = await eventually(async () => {
    const answer = await read(project, request.request_id);
    return answer.status === 200 ? undefined : answer;
  });
  expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1']);
  const polled = eventually(async () => {
    const answer = await read(project, request.request_id, 25);
    return answer.body.status === 'approved' ? answer : undefined;
  });
  await service.control.tap(person.channel, person.name, { button: 'Yes' });
  const { body } = await polled;
  expect(body).toEqual({
    request_id: request.request_id,
    status: 'approved',
    subscriber_id: person.subscriberId,
    decided_at: expect.stringMatching(/\+00:00$/),
    expires_in: 0,
  });
  expect((await untilEdited(person, /You confirmed this/)).text).toContain(`Shop: ${MESSAGE}`);
  expect(await eventsOf(service, project, 'auth.approved', 'auth.declined', 'auth.completed')).toEqual([
    {
      name: 'auth.approved',
      data: {
        request_id: request.request_id,
        subscriber_id: person.subscriberId,
        channel: 'telegram',
        external_id: null,
        message: MESSAGE,
        decided_at: body.decided_at,
      },
    },
  ]);
  expect(await creditsOf(project)).toBe(1);
  const { body: list } = await project.api('GET', `/v1/auth/sessions?subscriber_id=${person.subscriberId}`);
  expect(list.data).toMatchObject([
    { session_id: request.request_id, flow: 'push', purpose: 'approval', message: MESSAGE, confirmed: true },
  ]);
  const handle = service.client.workflow.getHandle(`auth/${request.request_id}`);
  expect(await handle.result()).toMatchObject({ status: 'consumed' });
  // Neither is one a session for the routes of sessions, nor can it be cancelled any more.
  const { request_id: id } = request;
  expect((await project.api('GET', `/v1/auth/session/${id}/status`)).status).toBe(404);
  expect((await project.api('GET', `/v1/auth/session/${id}/qr`)).status).toBe(404);
  expect((await project.api('DELETE', `/v1/auth/session/${id}`)).status).toBe(404);
  expect((await project.api('DELETE', `/v1/auth/requests/${id}`)).status).toBe(409);
});

test('No declines, for no credit', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project, 'max', { language_code: 'ru' });
  const request = await ask(project, { subscriber_id: person.subscriberId });
  expect((await questionTo(person)).text).toContain('Код на экране');
  await service.control.tap(person.channel, person.name, { button: 'Нет' });
  await untilEdited(person, /Вы отклонили запрос/);
  expect((await read(project, request.request_id)).body).toMatchObject({ status: 'declined' });
  expect(await eventsOf(service, project, 'auth.declined')).toMatchObject([
    { data: { request_id: request.request_id, channel: 'max', message: MESSAGE } },
  ]);
  expect(await creditsOf(project)).toBe(0);
});

test('all subscribers of an external_id are asked, the first answer counts, and every message is edited', async () => {
  const project = await service.createProject();
  const people = [
    await subscribePerson(service, project, 'telegram'),
    await subscribePerson(service, project, 'max'),
    await subscribePerson(service, project, 'telegram'),
  ] as const;
  for (const { subscriberId } of people) {
    await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'user-42' });
  }
  const [first, second, gone] = people;
  await service.control.say(gone.channel, gone.name, '/stop');
  await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);

  const request = await ask(project, { external_id: 'user-42' });
  await Promise.all([questionTo(first), questionTo(second)]);
  expect((await read(project, request.request_id)).body.subscriber_id).toBeNull();
  await service.control.tap(second.channel, second.name, { button: 'Yes' });
  await untilEdited(second, /You confirmed this/);
  const other = await untilEdited(first, /Confirmed in another chat/);
  expect(other.buttons).toEqual([]);
  const { body } = await eventually(async () => {
    const answer = await read(project, request.request_id);
    return answer.status === 200 ? answer : undefined;
  });
  expect(body).toMatchObject({ status: 'approved', subscriber_id: second.subscriberId });
  expect(await eventsOf(service, project, 'auth.approved')).toMatchObject([
    { data: { subscriber_id: second.subscriberId, external_id: 'user-42' } },
  ]);
  const { messages } = await service.control.chat(gone.channel, gone.name);
  expect(messages.some(({ text }) => text.includes(MESSAGE))).toBe(false);
});

test("another user's tap and a forged nonce do not decide", async () => {
  const project = await service.createProject();
  const [person, thief] = [await subscribePerson(service, project), await subscribePerson(service, project)];
  const request = await ask(project, { subscriber_id: person.subscriberId });
  const { message_id, buttons } = await questionTo(person);
  const yes = buttons.flat()[0]?.data ?? '';
  const { messages } = await service.control.chat(thief.channel, thief.name);
  const toasted = ({ channel, name }: Person, part: string) =>
    eventually(async () => {
      const { toasts } = await service.control.chat(channel, name);
      return toasts.some(({ text }) => text.includes(part));
    });
  await service.control.tap(thief.channel, thief.name, { message_id: messages[0]?.message_id, data: yes });
  await toasted(thief, 'Only the person');
  await service.control.tap(person.channel, person.name, { message_id, data: `y:${'A'.repeat(32)}` });
  await toasted(person, 'has expired');
  expect((await read(project, request.request_id)).body).toMatchObject({ status: 'pending' });
  expect(await eventsOf(service, project, 'auth.approved', 'auth.declined')).toEqual([]);
  expect(await creditsOf(project)).toBe(0);
  await service.control.tap(person.channel, person.name, { button: 'No' });
  await untilEdited(person, /declined/);
  expect(await eventsOf(service, project, 'auth.approved', 'auth.declined')).toMatchObject([
    { name: 'auth.declined' },
  ]);
});

test('with the purpose login the answer gives a code, which is redeemed as that of a session', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const request = await ask(project, {
    subscriber_id: person.subscriberId,
    purpose: 'login',
    state: 'st-7',
    message: 'Log in at the till?',
  });
  await questionTo(person);
  await service.control.tap(person.channel, person.name, { button: 'Yes' });
  await untilEdited(person, /You confirmed this/);
  const { body } = await read(project, request.request_id);
  expect(body).toMatchObject({ status: 'approved', state: 'st-7', code: expect.any(String) });
  expect(body.expires_in).toBeGreaterThan(200);
  const verified = await project.api('POST', '/v1/auth/verify', { code: body.code });
  expect(verified.body).toMatchObject({ subscriber_id: person.subscriberId });
  const after = await eventually(async () => {
    const answer = await read(project, request.request_id);
    return answer.status === 200 ? answer.body : undefined;
  });
  expect(after).toMatchObject({ status: 'approved', expires_in: 0 });
  expect(after).not.toHaveProperty('code');
  expect(await eventsOf(service, project, 'auth.completed', 'auth.approved')).toMatchObject([
    { name: 'auth.completed', data: { subscriber_id: person.subscriberId, state: 'st-7' } },
  ]);
});

test('a cancelled request is expired at once, and its message says so; a later tap changes nothing', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const request = await ask(project, { subscriber_id: person.subscriberId, message: 'Pay  50 €' });
  const question = await questionTo(person);
  expect(question.text).toContain(': Pay  50 €\n');
  const cancelled = await project.api<Status>('DELETE', `/v1/auth/requests/${request.request_id}`);
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'expired']);
  // Nobody has answered.
  expect(cancelled.body.decided_at).toBeNull();
  await untilEdited(person, /This request has expired/);
  const data = question.buttons[0]?.[0]?.data ?? '';
  await service.control.tap(person.channel, person.name, { message_id: question.message_id, data });
  await eventually(async () => (await service.control.chat(person.channel, person.name)).toasts.length > 0);
  expect((await read(project, request.request_id)).body).toMatchObject({ status: 'expired' });
  expect(await creditsOf(project)).toBe(0);
});

test('an unanswered request expires at its own time, by the row', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const request = await ask(project, { subscriber_id: person.subscriberId, expires_in: 120 });
  await questionTo(person);
  // The row's time is the truth: an answer of the database moves the timer of the workflow.
  await service.pool.query('UPDATE auth_sessions SET expires_at = clock_timestamp() WHERE id = $1', [
    request.request_id,
  ]);
  await service.client.workflow.getHandle(`auth/${request.request_id}`).signal('changed');
  await untilEdited(person, /This request has expired/);
  expect((await read(project, request.request_id)).body).toMatchObject({ status: 'expired', expires_in: 0 });
});

test('of many requests at once three pass, and the limit is counted for each subscriber', async () => {
  const project = await service.createProject();
  const [person, other] = [await subscribePerson(service, project), await subscribePerson(service, project)];
  const post = (subscriberId: string) =>
    project.api<Created>('POST', '/v1/auth/requests', { subscriber_id: subscriberId, message: MESSAGE });
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(person.subscriberId)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ code: 'rate_limit_auth_requests', retryable: true });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(200);
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(300);
  expect((await post(other.subscriberId)).status).toBe(201);

  // An ended one makes room, but counts towards the hour.
  const mine = answers.flatMap(({ status, body }) => (status === 201 ? [body.request_id] : []));
  for (const id of mine) await project.api('DELETE', `/v1/auth/requests/${id}`);
  await service.pool.query(
    `WITH old AS (
       INSERT INTO auth_sessions (project_id, flow, purpose, status, expires_at)
       SELECT $1, 'push', 'approval', 'expired', now() FROM generate_series(1, 15) RETURNING id)
     INSERT INTO auth_request_recipients (session_id, subscriber_id, created_at)
     SELECT id, $2, clock_timestamp() - interval '50 minutes' FROM old`,
    [project.id, person.subscriberId],
  );
  const rest = await Promise.all(Array.from({ length: 4 }, () => post(person.subscriberId)));
  expect(rest.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
  const hourly = rest.find(({ status }) => status === 429);
  expect(Number(hourly?.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(Number(hourly?.headers.get('retry-after'))).toBeLessThanOrEqual(600);
});

test('who cannot be asked: unknown, unsubscribed, blocked billing', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const post = (body: Record<string, unknown>) =>
    project.api('POST', '/v1/auth/requests', { message: MESSAGE, ...body });
  for (const who of [{ subscriber_id: randomUUID() }, { subscriber_id: 'x' }, { external_id: 'nobody' }]) {
    expect((await post(who)).body).toMatchObject({ code: 'subscriber_not_found' });
  }
  const both = await post({ subscriber_id: person.subscriberId, external_id: 'a' });
  expect(both.body).toMatchObject({ code: 'mutually_exclusive_identifiers' });
  await service.control.say(person.channel, person.name, '/stop');
  await eventually(async () => (await post({ subscriber_id: person.subscriberId })).status === 409);
  await blockBilling(service, project);
  expect((await post({ subscriber_id: person.subscriberId })).body).toMatchObject({
    code: 'billing_blocked',
  });
});

test('Yes without credits is declined with its reason, and emits auth.declined', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const request = await ask(project, { subscriber_id: person.subscriberId });
  await questionTo(person);
  await blockBilling(service, project);
  await service.control.tap(person.channel, person.name, { button: 'Yes' });
  await untilEdited(person, /not available right now/);
  expect((await read(project, request.request_id)).body).toMatchObject({
    status: 'declined',
    reason: 'billing_blocked',
  });
  expect(await eventsOf(service, project, 'auth.declined')).toHaveLength(1);
});

test.each([
  ['a line break', 'Pay?\nCode on the screen:\nAAAA'],
  ['a line separator', 'Pay?\u2028AAAA'],
  ['a change of direction', 'Pay \u202e05 €?'],
  ['a mark of direction', 'Pay \u200f50 €?'],
  ['a control character', 'Pay\u0007?'],
  ['spaces only', '   '],
  ['nothing', ''],
  ['201 characters', 'x'.repeat(201)],
])('a message with %s is refused', async (_, message) => {
  const project = await service.createProject();
  const { status, body } = await project.api('POST', '/v1/auth/requests', {
    subscriber_id: randomUUID(),
    message,
  });
  expect([status, body.code, body.error]).toEqual([
    400,
    'validation_failed',
    expect.stringMatching(/^message: /),
  ]);
});

test('a login needs a state, and the time to answer has bounds', async () => {
  const project = await service.createProject();
  const post = (body: Record<string, unknown>) =>
    project.api('POST', '/v1/auth/requests', {
      subscriber_id: randomUUID(),
      message: '👍'.repeat(100),
      ...body,
    });
  expect((await post({ purpose: 'login' })).body.error).toMatch(/^state: is required/);
  for (const expires_in of [29, 901, 60.5]) {
    expect((await post({ expires_in })).body.error).toMatch(/^expires_in: /);
  }
  expect((await post({ purpose: 'login', state: 's', expires_in: 900 })).status).toBe(404);
});

test('the same Idempotency-Key asks once', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const body = { subscriber_id: person.subscriberId, message: MESSAGE };
  const headers = { 'idempotency-key': randomUUID() };
  const first = await project.api<Created>('POST', '/v1/auth/requests', body, headers);
  const again = await project.api<Created>('POST', '/v1/auth/requests', body, headers);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('while the messenger is unavailable the question waits; it is asked when it is back', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const fault = { method: 'sendMessage', status: 502, times: 2, user: person.name };
  await service.control.faults('telegram', fault);
  await ask(project, { subscriber_id: person.subscriberId });
  await questionTo(person);
  const { rows } = await service.pool.query(
    'SELECT 1 FROM auth_prompts p JOIN auth_sessions s ON s.id = p.session_id WHERE s.project_id = $1',
    [project.id],
  );
  expect(rows).toHaveLength(1);
});

test('a question whose send got no response is asked again; the buttons of both work, and go at the end', async () => {
  const project = await service.createProject();
  const askTwice = async () => {
    const person = await subscribePerson(service, project);
    const fault = { method: 'sendMessage', drop_after: true, user: person.name };
    await service.control.faults('telegram', fault);
    const request = await ask(project, { subscriber_id: person.subscriberId });
    const questions = await eventually(async () => {
      const { messages } = await service.control.chat('telegram', person.name);
      const asked = messages.filter(({ buttons }) => buttons.length > 0);
      return asked.length === 2 ? asked : null;
    });
    const tap = (index: number, button: 'Yes' | 'No') => {
      const question = questions[index];
      const data = question?.buttons[0]?.find(({ text }) => text === button)?.data ?? '';
      return service.control.tap('telegram', person.name, { message_id: question?.message_id, data });
    };
    const untilNoButtons = (...indexes: number[]) =>
      eventually(async () => {
        const { messages } = await service.control.chat('telegram', person.name);
        const ids = indexes.map((index) => questions[index]?.message_id);
        return messages.every(({ message_id, buttons }) => !ids.includes(message_id) || buttons.length === 0);
      });
    return { id: request.request_id, person, tap, untilNoButtons };
  };
  const [early, late] = await Promise.all([askTwice(), askTwice()]);
  await early.tap(0, 'Yes');
  expect((await read(project, early.id, 25)).body.status).toBe('approved');
  await early.untilNoButtons(0, 1);

  // Herald does not know the message of the first question until it is tapped.
  await late.tap(1, 'Yes');
  expect((await read(project, late.id, 25)).body.status).toBe('approved');
  await late.untilNoButtons(1);
  await late.tap(0, 'No');
  await late.untilNoButtons(0, 1);
  await eventually(async () => (await service.control.chat('telegram', late.person.name)).toasts.length > 0);
  expect(await creditsOf(project)).toBe(2);
  expect(await eventsOf(service, project, 'auth.declined')).toEqual([]);
});

test('a subscriber who has blocked the bot ends their subscription, and the request stays pending', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  // Only for this chat: a question of an earlier test may still be on its way.
  const fault = { method: 'sendMessage', status: 403, times: 1, user: person.name };
  await service.control.faults('telegram', fault);
  const request = await ask(project, { subscriber_id: person.subscriberId });
  await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);
  expect((await read(project, request.request_id)).body).toMatchObject({ status: 'pending' });
});

test('a removed subscriber leaves nothing in their requests, and a pending one ends', async () => {
  const project = await service.createProject();
  const person = await subscribePerson(service, project);
  const request = await ask(project, { subscriber_id: person.subscriberId, client_ip: '203.0.113.7' });
  await questionTo(person);
  expect((await project.api('DELETE', `/v1/subscribers/${person.subscriberId}`)).status).toBe(204);
  expect((await read(project, request.request_id)).body).toMatchObject({
    status: 'expired',
    subscriber_id: null,
  });
  const { rows } = await service.pool.query(
    `SELECT s.message, s.client_ip, (SELECT count(*)::int FROM auth_prompts p WHERE p.session_id = s.id) AS prompts,
       (SELECT count(*)::int FROM auth_request_recipients r WHERE r.session_id = s.id) AS recipients
     FROM auth_sessions s WHERE s.id = $1`,
    [request.request_id],
  );
  expect(rows).toEqual([{ message: null, client_ip: null, prompts: 0, recipients: 0 }]);
});

test('DELETE on a session ends it, and the bot says so', async () => {
  const project = await service.createProject({ name: 'Shop' });
  const { body: session } = await project.api('POST', '/v1/auth/session', { state: 'st' });
  const person = { name: `late-${project.slug}`, channel: 'telegram' as const, subscriberId: '' };
  const start = new URL(session.telegram_link as string).searchParams.get('start') ?? '';
  await service.control.open('telegram', person.name, { start, first_name: 'Late' });
  await questionTo(person);
  const cancelled = await project.api('DELETE', `/v1/auth/session/${session.session_id}`);
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'expired']);
  await untilEdited(person, /has expired/);
  expect((await project.api('DELETE', `/v1/auth/session/${session.session_id}`)).status).toBe(409);
});
