import { randomUUID } from 'node:crypto';
import { eventRegistry } from '../../../src/domains/events/contract';
import { queueTicketNotices } from '../../../src/domains/projects';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { botMessages, eventsOf, freshName, subscribePerson, textsTo, type Person } from '../messages/fixture';
import { inviteAsOperator, join } from '../team/fixture';
import { ageTicket, hasEntry, type AgedColumn } from './fixture';

let service: Installation;
let project: TestProject;
let person: Person;
beforeAll(async () => {
  service = await useService();
});
beforeEach(async () => {
  project = await service.createProject({ plan: 'basic' });
  await call('PATCH', '', { enabled: true });
  person = await subscribePerson(service, project);
});
afterAll(() => service?.stop());

const call = (method: string, path: string, body?: object) =>
  project.api(method as 'GET', `/v1/helpdesk${path}`, body);
const create = async (body: object) => (await call('POST', '/tickets', { text: 'Hello', ...body })).body;
const createOwn = (more: object = {}) => create({ subscriber_id: person.subscriberId, ...more });
const find = async (id: string) => (await call('GET', `/tickets/${id}`)).body;
const patch = (id: string, body: object) => call('PATCH', `/tickets/${id}`, body);
const reply = (id: string, text: string, more: object = {}) =>
  call('POST', `/tickets/${id}/messages`, { content: { text }, ...more });
const say = (text: string, more: object = {}) => service.control.say('telegram', person.name, text, more);
const lastText = async () => (await textsTo(service, person)).at(-1);
const ticketEvents = async () =>
  (await eventsOf(service, project)).filter(({ name }) => name.startsWith('ticket.'));
const age = (id: string, column: AgedColumn, days: number) => ageTicket(service, id, column, days);

test('while the helpdesk is enabled, tickets of another one cannot be published; a change takes effect at once', async () => {
  const publisher = service.apiWith(await service.createKey(project.id, ['publish']));
  const { example } = eventRegistry['ticket.created'];
  const publish = () =>
    publisher('POST', '/v1/publish', { events: [{ event: 'ticket.created', data: example }] });
  for (const enabled of [true, false, true]) {
    await call('PATCH', '', { enabled });
    const answer = await publish();
    if (enabled) expectError(answer, 'conflict');
    else expect(answer.status).toBe(202);
  }
});

test('settings have their defaults; while it is off nothing is created, and the bot says so in both languages', async () => {
  const settings = {
    enabled: true,
    first_reply_hours: 24,
    resolve_hours: null,
    csat: true,
    reopen_days: 7,
    auto_close_days: null,
  };
  expect((await call('GET', '')).body).toEqual(settings);
  expect((await call('PATCH', '', { enabled: false, reopen_days: null })).body).toEqual({
    ...settings,
    enabled: false,
    reopen_days: null,
  });
  expectError(await call('POST', '/tickets', { customer: {}, text: 'Hello' }), 'conflict');
  const { body: links } = await call('GET', '/link');
  expect(Object.keys(links).sort()).toEqual(['max_link', 'telegram_link']);
  expect(links.telegram_link).toContain(`help_${project.slug}`);
  for (const [language_code, text] of [
    ['en', 'Support is not set up here.'],
    ['ru', 'Поддержка здесь не настроена.'],
  ]) {
    await service.control.open('telegram', person.name, { start: `help_${project.slug}`, language_code });
    await eventually(async () => (await lastText()) === text);
  }
});

test('types have long names, set priority and assignee, tell the assignee, and are nine', async () => {
  const name = freshName('agent');
  await join(service, name, await inviteAsOperator(service, project, 'support'));
  const [member] = (await project.api('GET', '/v1/members')).body.data;
  const type = {
    name_en: 'x'.repeat(100),
    name_ru: 'Возврат',
    priority: 'high',
    assignee_id: member.member_id,
  };
  const created = await call('POST', '/types', type);
  expect(created).toMatchObject({ status: 201, body: { type_id: expect.any(String), ...type } });
  for (let count = 2; count <= 9; count += 1) {
    const more = { name_en: `Type ${count}`, name_ru: `Тип ${count}` };
    expect((await call('POST', '/types', more)).body).toMatchObject({
      priority: 'normal',
      assignee_id: null,
    });
  }
  expectError(await call('POST', '/types', type), 'conflict');

  const ticket = await create({ customer: { name: 'Ann' }, type_id: created.body.type_id, text: 'Broken' });
  expect(ticket).toMatchObject({
    status: 'in_progress',
    priority: 'high',
    assignee_id: member.member_id,
    subscriber_id: null,
    channel: null,
    external_id: null,
    customer: { name: 'Ann', contact: null },
  });
  expect((await ticketEvents()).map((event) => [event.name, event.data['status']])).toEqual([
    ['ticket.created', 'new'],
    ['ticket.assigned', 'in_progress'],
    ['ticket.status_changed', 'in_progress'],
  ]);
  const notice = await eventually(async () => {
    const messages = await botMessages(service, { ...person, name });
    return messages.find(({ text }) => text.includes('Broken'));
  });
  expect(notice.buttons.flat()[0]?.url).toBe(`${service.url}/dashboard/inbox/${ticket.ticket_id}`);
  expect((await call('DELETE', `/types/${created.body.type_id}`)).status).toBe(204);
  expect((await find(ticket.ticket_id)).type_id).toBeNull();
});

test('a member gets one notice of the many messages that wait about a ticket', async () => {
  await join(service, freshName('agent'), await inviteAsOperator(service, project, 'support'));
  await service.pool.query(`UPDATE members SET notify = 'all' WHERE project_id = $1`, [project.id]);
  const db = await service.pool.connect();
  try {
    await db.query('BEGIN');
    const topic = randomUUID();
    const queue = (about?: string) =>
      queueTicketNotices(db, project.id, randomUUID(), { assigneeId: null, ...(about && { topic: about }) });
    expect([await queue(topic), await queue(topic), await queue(randomUUID()), await queue()]).toEqual([
      1, 0, 1, 1,
    ]);
  } finally {
    await db.query('ROLLBACK');
    db.release();
  }
});

test('notices whose event was erased do not hold up the others', async () => {
  await join(service, freshName('agent'), await inviteAsOperator(service, project, 'support'));
  const { rows } = await service.pool.query<{ id: string }>(
    `WITH member AS (SELECT id, project_id FROM members WHERE project_id = $1),
     due AS (INSERT INTO agenda (kind, id, project_id, due_at) SELECT 'member_notices', id, project_id, now() FROM member)
     INSERT INTO member_notices (member_id, event_id)
     SELECT id, gen_random_uuid() FROM member, generate_series(1, 25) RETURNING id`,
    [project.id],
  );
  expect(rows).toHaveLength(25);
  await eventually(async () => {
    const ids = rows.map(({ id }) => id);
    const left = await service.pool.query('SELECT 1 FROM member_notices WHERE id = ANY ($1)', [ids]);
    return left.rowCount === 0;
  });
});

test('messages that were kept move the ticket once; a subscriber is not written for, and nothing is new again', async () => {
  const [one, two] = [await createOwn(), await createOwn()];
  await reply(one.ticket_id, 'Which size?');
  expect((await find(one.ticket_id)).status).toBe('waiting');
  await say('first');
  await say('second');
  await eventually(async () => (await lastText()) === 'Which request is this about?');
  await eventually(async () => {
    const { rowCount } = await service.pool.query(
      `SELECT 1 FROM ticket_kept_messages JOIN subscribers s USING (channel, platform_user_id)
       WHERE s.id = $1`,
      [person.subscriberId],
    );
    return rowCount === 2;
  });
  await service.control.tap('telegram', person.name, { button: `#1 ${project.name}` });
  await eventually(async () => (await find(one.ticket_id)).status === 'in_progress');
  const moved = (await ticketEvents()).filter(({ name }) => name !== 'ticket.created');
  expect(
    moved.map(({ name, data }) => [name, data['number'], data['status'], data['text'] ?? data['by']]),
  ).toEqual([
    ['ticket.replied', 1, 'waiting', 'Which size?'],
    ['ticket.status_changed', 1, 'waiting', 'api'],
    ['ticket.replied', 1, 'in_progress', 'first'],
    ['ticket.status_changed', 1, 'in_progress', 'customer'],
    ['ticket.replied', 1, 'in_progress', 'second'],
  ]);
  expectError(await reply(two.ticket_id, 'As you', { from: 'customer' }), 'validation_failed');
  expectError(await patch(two.ticket_id, { status: 'new' }), 'validation_failed');
  const stranger = randomUUID();
  const bulk = {
    ids: [one.ticket_id, two.ticket_id, stranger],
    set: { status: 'closed', priority: 'urgent' },
  };
  expect((await call('POST', '/tickets/bulk', bulk)).body).toEqual({
    updated: 2,
    failed: [{ id: stranger, code: 'not_found' }],
  });
});

test('a virtual ticket takes messages of both sides, without sending', async () => {
  const { ticket_id } = await create({
    customer: { name: 'Ann', contact: 'ann@shop.example' },
    subject: 'Order',
  });
  const answer = await reply(ticket_id, 'By mail');
  expect(answer).toMatchObject({ status: 201, body: { from: 'agent', delivery: null } });
  expect(await find(ticket_id)).toMatchObject({ status: 'waiting', waiting_since: null });
  expect((await reply(ticket_id, 'Thanks', { from: 'customer' })).body).toMatchObject({ from: 'customer' });
  const taken = await find(ticket_id);
  expect(taken).toMatchObject({ status: 'in_progress', waiting_since: expect.any(String) });
  expect((await reply(ticket_id, 'Call her', { internal: true })).body).toMatchObject({ internal: true });
  expect(await find(ticket_id)).toMatchObject({ status: 'in_progress', waiting_since: taken.waiting_since });
  expect((await ticketEvents()).filter(({ name }) => name === 'ticket.replied')).toHaveLength(2);
});

test('tickets are listed by creation, or by their last message or change, page by page', async () => {
  for (const subject of ['first', 'second', 'third']) await create({ customer: { name: 'Ann' }, subject });
  const [{ ticket_id: first }] = (await call('GET', '/tickets?number=1')).body.data;
  await reply(first, 'By mail');
  const walk = async (sort: string) => {
    const subjects: string[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `/tickets?limit=2${sort}${cursor}`);
      subjects.push(...body.data.map(({ subject }: { subject: string }) => subject));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor !== '');
    return subjects;
  };
  expect(await walk('')).toEqual(['third', 'second', 'first']);
  expect(await walk('&sort=updated')).toEqual(['first', 'third', 'second']);
  expectError(await call('GET', '/tickets?sort=number'), 'validation_failed', 'sort');
});

test('an unanswered stretch is told once, a waiting ticket closes, and a late message begins a new one', async () => {
  const { ticket_id } = await createOwn();
  const unanswered = async () => (await eventsOf(service, project, 'ticket.unanswered_24h')).length;
  await age(ticket_id, 'waiting_since', 1);
  await eventually(async () => (await unanswered()) === 1);
  await say('anybody there?');
  await eventually(async () => (await eventsOf(service, project, 'ticket.replied')).length === 1);
  await reply(ticket_id, 'Yes');
  await say('and now?');
  await eventually(async () => (await find(ticket_id)).waiting_since !== null);
  expect(await unanswered()).toBe(1);
  await age(ticket_id, 'waiting_since', 1);
  await eventually(async () => (await unanswered()) === 2);

  await reply(ticket_id, 'Anything else?');
  await call('PATCH', '', { auto_close_days: 2 });
  await age(ticket_id, 'status_since', 3);
  await eventually(async () => (await find(ticket_id)).status === 'closed');
  const [closed] = await eventsOf(service, project, 'ticket.closed');
  expect(closed?.data).toMatchObject({
    by: 'system',
    status: 'closed',
    first_reply_seconds: expect.any(Number),
    resolution_seconds: expect.any(Number),
  });
  const question = 'Request #1 is closed. How did we do?';
  await eventually(async () => (await lastText()) === question);

  await say('one more thing');
  await eventually(async () => (await find(ticket_id)).status === 'in_progress');
  await patch(ticket_id, { status: 'closed' });
  await age(ticket_id, 'closed_at', 8);
  const quoted = (await botMessages(service, person)).find(({ text }) => text === question);
  // It is recorded after it was sent.
  await eventually(async () => {
    const { rows } = await service.pool.query<{ bot_message_ids: string[] }>(
      'SELECT bot_message_ids FROM tickets WHERE id = $1',
      [ticket_id],
    );
    return rows[0]?.bot_message_ids.includes(String(quoted?.message_id));
  });
  await say('again', { reply_to: quoted?.message_id });
  // The second closing asks for a rating too, before or after this answer.
  await eventually(async () => (await textsTo(service, person)).includes('Request #2 is accepted.'));
});

test('a removed type or member, and another time of closing, reach thousands of tickets a thousand in a transaction', async () => {
  const COUNT = 2_500;
  await join(service, freshName('agent'), await inviteAsOperator(service, project, 'support'));
  const [member] = (await project.api('GET', '/v1/members')).body.data;
  const { body: type } = await call('POST', '/types', { name_en: 'Return', name_ru: 'Возврат' });
  // Their workflows have nothing to do.
  const insertTickets = (from: number, to: number) =>
    service.pool.query(
      `WITH inserted AS (
         INSERT INTO tickets (id, project_id, number, status, priority, source, virtual, type_id, assignee_id, status_since)
         SELECT gen_random_uuid(), $1, n, 'waiting', 'normal', 'api', true, $2, $3, now() - interval '3 days'
         FROM generate_series($4::int, $5) n RETURNING id)
       INSERT INTO ticket_messages (id, ticket_id, sender, text, member_id)
       SELECT gen_random_uuid(), id, 'agent', 'Hello', $3 FROM inserted`,
      [project.id, type.type_id, member.member_id, from, to],
    );
  const where = async (condition: string) => {
    const { rows } = await service.pool.query<{ n: number; at_once: number }>(
      `SELECT coalesce(sum(n), 0)::int AS n, coalesce(max(n), 0)::int AS at_once FROM (
         SELECT count(*) AS n FROM tickets t JOIN ticket_messages m ON m.ticket_id = t.id
         WHERE t.project_id = $1 AND ${condition} GROUP BY t.xmin, m.xmin) AS written`,
      [project.id],
    );
    return rows[0]!;
  };
  const sweeps = async (condition = 'true') => {
    const query = `SELECT kind FROM ticket_sweeps WHERE project_id = $1 AND ${condition}`;
    return (await service.pool.query(query, [project.id])).rowCount;
  };
  await insertTickets(1, COUNT);

  await call('PATCH', '', { auto_close_days: 5 });
  await eventually(async () => {
    const { rows } = await service.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM tickets t JOIN agenda a ON a.kind = 'ticket' AND a.id = t.id
       WHERE t.project_id = $1 AND a.due_at = date_trunc('milliseconds', t.status_since) + interval '5 days'
       GROUP BY a.xmin ORDER BY n`,
      [project.id],
    );
    return rows.map(({ n }) => n).join() === '500,1000,1000';
  });
  await eventually(async () => (await sweeps()) === 0);

  expect((await call('DELETE', `/types/${type.type_id}`)).status).toBe(204);
  expect((await where('type_id IS NULL')).n).toBeGreaterThanOrEqual(1_000);
  await eventually(async () => (await where('type_id IS NULL')).n === COUNT);
  expect((await where('true')).at_once).toBe(1_000);

  expect((await project.api('DELETE', `/v1/members/${member.member_id}`)).status).toBe(204);
  await eventually(async () => (await where('assignee_id IS NULL AND member_id IS NULL')).n === COUNT);
  expect((await where('true')).at_once).toBeLessThanOrEqual(1_000);

  // All of them have found nothing more, and wait for transactions that had begun before.
  const isLater = `EXISTS (SELECT 1 FROM agenda a WHERE a.kind = 'ticket-sweeps-' || ticket_sweeps.kind
    AND a.id = ticket_sweeps.id AND a.due_at > created_at + interval '59 seconds')`;
  await eventually(async () => (await sweeps(isLater)) === 3);
  // A transaction that had read them before they were removed has committed since.
  await insertTickets(COUNT + 1, COUNT + 1);
  expect(await sweeps()).toBe(3);
  await service.pool.query(
    `WITH aged AS (UPDATE ticket_sweeps SET created_at = created_at - interval '2 minutes' WHERE project_id = $1)
     UPDATE agenda SET due_at = now() WHERE kind LIKE 'ticket-sweeps-%' AND project_id = $1`,
    [project.id],
  );
  await eventually(async () => (await sweeps()) === 0);
  expect((await where('type_id IS NULL AND assignee_id IS NULL AND member_id IS NULL')).n).toBe(COUNT + 1);
});

test('after /stop replies arrive, writing does not subscribe again, and nobody asks for a rating', async () => {
  const { ticket_id } = await createOwn();
  await say('/stop');
  await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);
  await say('still here');
  await eventually(async () => (await eventsOf(service, project, 'ticket.replied')).length === 1);
  const answer = await reply(ticket_id, 'So are we', { status: 'closed' });
  expect(answer.body.delivery).toEqual({ status: 'sent', reason: null });
  await eventually(async () => {
    const { rows } = await service.pool.query<{ csat: string | null }>(
      'SELECT csat FROM tickets WHERE id = $1',
      [ticket_id],
    );
    return rows[0]?.csat === null;
  });
  expect(await lastText()).toBe(`${project.name} · #1\nSo are we`);
  expect(await eventsOf(service, project, 'subscription.created')).toHaveLength(1);
});

test('a file whose long name is cut inside an emoji arrives', async () => {
  const { ticket_id } = await createOwn();
  const name = `${'🙂'.repeat(100)}x`;
  await service.control.sendFile('telegram', person.name, { type: 'document', name });
  const [sent] = await eventually(async () => {
    const { body } = await call('GET', `/tickets/${ticket_id}/messages`);
    return body.data.find((each: { attachments: object[] }) => each.attachments.length > 0)?.attachments;
  });
  expect(sent).toMatchObject({ name: `\ufffd${'🙂'.repeat(99)}x` });
});

test('a rating that cannot be asked for is tried again later, and no more a day after the close', async () => {
  const rating = async (id: string) => {
    const { rows } = await service.pool.query<{ csat: string | null; pause: number | null }>(
      // The entry is due two minutes after the time at which the workflow asks again.
      `SELECT csat, extract(epoch FROM a.due_at - interval '2 minutes' - closed_at)::float8 AS pause
       FROM tickets t LEFT JOIN agenda a ON a.kind = 'ticket' AND a.id = t.id WHERE t.id = $1`,
      [id],
    );
    return rows[0]!;
  };
  const closeInOutage = async () => {
    const { ticket_id } = await createOwn();
    await reply(ticket_id, 'Done');
    // The workflow has read the reply: reading the ticket again would claim the question once more during the outage.
    await eventually(async () => !(await hasEntry(service, ticket_id)));
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 503,
      times: 1_000,
      user: person.name,
    });
    await patch(ticket_id, { status: 'closed' });
    await eventually(async () => {
      const { csat, pause } = await rating(ticket_id);
      expect(csat).toBe('wanted');
      return (pause ?? 0) >= 30;
    });
    return ticket_id;
  };
  const first = await closeInOutage();
  await service.control.faults('telegram', { clear: true });
  await age(first, 'closed_at', 0);
  await eventually(async () => (await rating(first)).csat === 'asked');
  expect(await lastText()).toBe('Request #1 is closed. How did we do?');

  const second = await closeInOutage();
  await age(second, 'closed_at', 2);
  await eventually(async () => {
    expect(await rating(second)).toEqual({ csat: null, pause: null });
    return true;
  });
  await service.control.faults('telegram', { clear: true });
});

test('a reply that closes comes before the question; the first tap counts', async () => {
  const { ticket_id } = await createOwn();
  await reply(ticket_id, 'Done', { status: 'closed' });
  await eventually(async () => (await lastText()) === 'Request #1 is closed. How did we do?');
  expect((await textsTo(service, person)).at(-2)).toBe(`${project.name} · #1\nDone`);
  const message = (await botMessages(service, person)).at(-1);
  expect(message?.buttons.map((row) => row.map(({ text }) => text))).toEqual([['1', '2', '3', '4', '5']]);
  await service.control.tap('telegram', person.name, { button: '4' });
  await eventually(async () => (await botMessages(service, person)).at(-1)?.edited);
  const data = message?.buttons[0]?.[0]?.data ?? '';
  await service.control.tap('telegram', person.name, { message_id: message?.message_id, data });
  await eventually(async () => {
    const { toasts } = await service.control.chat('telegram', person.name);
    return toasts.some(({ text }) => text === 'You have already rated this request.');
  });
  const rated = await eventsOf(service, project, 'ticket.csat_received');
  expect(rated.map(({ data: { score } }) => score)).toEqual([4]);
});
