import { randomUUID } from 'node:crypto';
import { botTexts } from '../../../src/domains/bots';
import { formatSubscriberId } from '../../../src/base/contract/ids';
import { eventRegistry } from '../../../src/domains/events/contract';
import { newApiKey } from '../../../src/base/lib/tokens';
import { insertApiKey } from '../../../src/domains/projects/queries/keys';
import { eventually } from '../../support/eventually';
import { ERASED_SUBSCRIBER_ID } from '../../../src/domains/subscribers';
import type { ApiResponse } from '../../support/api';
import type { Installation, TestProject } from '../../support/installation';
import { startTestService } from '../../support/service';
import {
  confirmedSession,
  createSession,
  lastBotMessage,
  linkOf,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
} from '../login/fixture';
import { freshName, textsTo, untilBroadcast } from '../messages/fixture';
import { createEndpoint, listDeliveries, scriptedReceiver, type ScriptedReceiver } from '../webhooks/fixture';

let service: Installation;
let good: ScriptedReceiver;
let failing: ScriptedReceiver;
beforeAll(async () => {
  // A receiver that repeats what it got: the log of attempts holds names, too.
  good = await scriptedReceiver((res, { body }) => res.end(body));
  failing = await scriptedReceiver(500);
  // Of its own: every table is read whole, several times, and those of a resident are long.
  service = await startTestService();
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([good.close(), failing.close()]);
});

/** Every table that has one of the texts in any of its columns, with the text. */
async function placesOf(texts: string[]): Promise<string[]> {
  const { rows } = await service.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  );
  const patterns = texts.flatMap((text) => [text, hexOf(text)]).map((text) => `%${text}%`);
  const places: string[] = [];
  for (const { name } of rows) {
    // Other tests leave many rows here: they are read once, not once for each text.
    const found = await service.pool.query<{ line: string }>(
      `SELECT t::text AS line FROM ${name} t WHERE t::text LIKE ANY ($1)`,
      [patterns],
    );
    for (const text of texts) {
      const whole = new RegExp(`(?<!\\w)${text}(?!\\w)|${hexOf(text)}`);
      if (found.rows.some(({ line }) => whole.test(line))) places.push(`${name}: ${text}`);
    }
  }
  return places;
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');

interface Known {
  user: string;
  subscriberId: string;
  /** What must not be found afterwards. */
  traces: string[];
  pendingSession: string;
  unusedSession: string;
  /** Repeat requests to /v1/send and /v1/scheduled under their Idempotency-Keys. */
  sendAgain: () => Promise<ApiResponse>;
  scheduleAgain: () => Promise<ApiResponse>;
  /** The same for messages and links that name them by their external_id. */
  scheduleByExternalIdAgain: () => Promise<ApiResponse>;
  linkAgain: () => Promise<ApiResponse>;
}

/** A person who has used everything that Herald offers. */
async function knownPerson(project: TestProject, channel: 'telegram' | 'max'): Promise<Known> {
  const user = freshName(channel);
  const word = user.replace('-', '');
  const profile = { first_name: `Zorblax${word}`, username: `nick_${word}` };
  const browser = (place: string) => ({
    state: `state-${place}-${word}`,
    client_ip: `198.51.100.${channel === 'max' ? 77 : 78}`,
    user_agent: `Browser-${place}-${word}`,
  });
  const login = await confirmedSession(service, project, user, { channel, profile, body: browser('used') });
  await project.api('POST', '/v1/auth/verify', { code: login.status.code });
  const unused = await confirmedSession(service, project, user, {
    channel,
    profile,
    body: browser('unused'),
  });

  const declined = await createSession(project, browser('declined'));
  await openAndWait(service, channel, user, startOf(linkOf(declined, channel)), profile);
  await service.control.tap(channel, user, { button: 1 });
  await waitForStatus(service, declined.session_id, 'declined');

  const { rows } = await service.pool.query<{ id: string; platform_user_id: string; chat_id: string }>(
    'SELECT id, platform_user_id, chat_id FROM subscribers WHERE first_name = $1',
    [profile.first_name],
  );
  const { id, platform_user_id, chat_id } = rows[0]!;
  const to = { subscriber_id: id };
  await project.api('PATCH', `/v1/subscribers/${id}`, {
    external_id: `crm-${word}`,
    properties: { note: `note-${word}` },
  });

  const buttons = [[{ text: 'More', data: `data-${word}` }]];
  const key = { 'idempotency-key': freshName('key') };
  const sendAgain = () => project.api('POST', '/v1/send', { ...to, text: `text-${word}`, buttons }, key);
  const sent = await sendAgain();
  expect(sent.body).toMatchObject({ sent: 1, details: [{ subscriber_id: id }] });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduleKey = { 'idempotency-key': freshName('key') };
  const scheduleAgain = () => {
    const body = { ...to, name: `name-${word}`, content: { text: `text-${word}` }, scheduled_at: later };
    return project.api('POST', '/v1/scheduled', body, scheduleKey);
  };
  expect((await scheduleAgain()).body).toMatchObject({ subscriber_id: id });
  const byExternalId = { external_id: `crm-${word}` };
  const laterKey = { 'idempotency-key': freshName('key') };
  const scheduleByExternalIdAgain = () => {
    const body = { ...byExternalId, content: { text: `scheduled-${word}` }, scheduled_at: later };
    return project.api('POST', '/v1/scheduled', body, laterKey);
  };
  expect((await scheduleByExternalIdAgain()).body).toMatchObject(byExternalId);
  const linkKey = { 'idempotency-key': freshName('key') };
  const linkAgain = () => project.api('POST', '/v1/subscribe-links', byExternalId, linkKey);
  expect((await linkAgain()).body).toMatchObject(byExternalId);
  const upper = await project.api('PATCH', `/v1/subscribers/${id.toUpperCase()}`, { tags: ['vip'] });
  expect(upper.status).toBe(200);
  await service.control.tap(channel, user, { button: 'More' });
  await project.api('POST', '/v1/otp/send', to);
  const code = await eventually(async () =>
    (await textsTo(service, { name: user, channel, subscriberId: id }))
      .map((text) => /\b\d{6}\b/.exec(text)?.[0])
      .find(Boolean),
  );
  await project.api('POST', '/v1/otp/verify', { ...to, code });
  const job = await project.api('POST', '/v1/broadcast', {
    text: 'for everybody',
    buttons: [[{ text: 'Tap', data: 'd' }]],
  });
  await untilBroadcast(project, job.body.job_id as string, 'completed');
  await service.control.tap(channel, user, { button: 'Tap' });
  await eventually(async () => {
    const clicks = await service.pool.query(
      `SELECT 1 FROM events WHERE name = 'button.clicked' AND body LIKE '%' || $1 || '%'`,
      [id],
    );
    return clicks.rowCount === 2;
  });
  const { body: batch } = await project.api('POST', '/v1/send/batch', {
    messages: [{ ...to, text: `text-${word}`, ref: `ref-${word}` }],
  });
  await eventually(async () => {
    const { body } = await project.api('GET', `/v1/send/batch/${batch.batch_id}`);
    return body.status === 'completed';
  });

  await openAndWait(service, channel, user, `auth_${project.slug}`, profile);
  const pending = await createSession(project, browser('pending'));
  await openAndWait(service, channel, user, startOf(linkOf(pending, channel)), profile);
  await service.pool.query(
    `INSERT INTO bot_updates (channel, dedupe_key, chat_queue, payload, set_aside_at, last_error)
     VALUES ($1, $2, 'user:' || $3, to_json($4::text), now(), $4)`,
    [channel, freshName('aside'), platform_user_id, profile.first_name],
  );
  return {
    user,
    subscriberId: id,
    pendingSession: pending.session_id,
    unusedSession: unused.session.session_id,
    sendAgain,
    scheduleAgain,
    scheduleByExternalIdAgain,
    linkAgain,
    traces: [
      profile.first_name,
      profile.username,
      id,
      id.toUpperCase(),
      formatSubscriberId(id, 'prefixed'),
      platform_user_id,
      chat_id,
      `crm-${word}`,
      `note-${word}`,
      `text-${word}`,
      `scheduled-${word}`,
      `ref-${word}`,
      `data-${word}`,
      ...['used', 'unused', 'declined', 'pending'].flatMap((place) => [
        `state-${place}-${word}`,
        `Browser-${place}-${word}`,
      ]),
      browser('').client_ip,
    ],
  };
}

describe.each(['telegram', 'max'] as const)('removing a subscriber on %s', (channel) => {
  test('leaves nothing of theirs in any table once their deliveries have ended', async () => {
    const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
    await createEndpoint(project, good.url);
    const known = await knownPerson(project, channel);
    const before = await placesOf(known.traces);
    const tables = [...new Set(before.map((place) => place.split(':')[0]))].sort();
    expect(tables).toEqual(
      expect.arrayContaining([
        'attempts',
        'auth_answers',
        'auth_openings',
        'auth_prompts',
        'auth_sessions',
        'bot_updates',
        'broadcast_recipients',
        'events',
        'messages',
        'otp_codes',
        'subscribers',
      ]),
    );
    const held = await project.api('GET', `/v1/subscribers/${known.subscriberId}/data`);
    const shown = JSON.stringify(held.body);
    const otherForm = formatSubscriberId(known.subscriberId, 'prefixed');
    const otherForms = [otherForm, known.subscriberId.toUpperCase()];
    expect(known.traces.filter((trace) => !otherForms.includes(trace) && !shown.includes(trace))).toEqual([]);
    expect(held.body).toMatchObject({ subscribe_links: [{ uses: 0 }] });
    expect(held.body).toMatchObject({
      subscriber: { subscriber_id: known.subscriberId },
      broadcasts: [
        { ref: null, content: { text: 'for everybody' } },
        { ref: `ref-${known.user.replace('-', '')}` },
      ],
      button_clicks: [expect.anything(), expect.anything()],
    });
    const charged = async () =>
      (await service.pool.query('SELECT 1 FROM credit_ledger WHERE project_id = $1', [project.id])).rowCount;
    const charges = await charged();

    const late = await createEndpoint(project, failing.url, { events: ['subscription.deleted'] });
    expect((await project.api('DELETE', `/v1/subscribers/${known.subscriberId}`)).status).toBe(204);
    // The removal's own event is still to be delivered: its first attempt fails.
    await eventually(async () => (await listDeliveries(project, late.id))[0]?.attempt_count);
    // Those whose delivery had not ended are erased once it has.
    await eventually(async () => {
      const events = await service.pool.query('SELECT name FROM events WHERE body LIKE $1', [
        `%${known.subscriberId}%`,
      ]);
      expect(events.rows).toEqual([{ name: 'subscription.deleted' }]);
      return true;
    });
    const left = (await placesOf(known.traces)).map((place) => place.split(':')[0] ?? '');
    expect(left.filter((table) => !['events', 'attempts'].includes(table))).toEqual([]);
    // The recorded response is encrypted, so the search of the tables does not read it.
    const repeated = await known.sendAgain();
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.body).toMatchObject({ sent: 1, details: [{ subscriber_id: ERASED_SUBSCRIBER_ID }] });
    const scheduled = await known.scheduleAgain();
    expect(scheduled.headers.get('idempotent-replayed')).toBe('true');
    expect(scheduled.body).toMatchObject({ subscriber_id: null, content: { text: '' } });
    const erased = { external_id: null, content: { text: '' } };
    expect((await known.scheduleByExternalIdAgain()).body).toMatchObject(erased);
    expect((await known.linkAgain()).body).toMatchObject({ external_id: null });
    expect(await statusInDatabase(service, known.pendingSession)).toBe('expired');
    expect(await statusInDatabase(service, known.unusedSession)).toBe('expired');
    expect(await charged()).toBe(charges);

    failing.behave(200);
    const [delivery] = await listDeliveries(project, late.id);
    await project.api('POST', `/v1/deliveries/${delivery?.id}/retry`);
    await eventually(async () => {
      expect(await placesOf(known.traces)).toEqual([]);
      return true;
    });
    const told = failing.of(delivery?.id ?? '').at(-1);
    expect(JSON.parse(told?.body.toString() ?? '')).toMatchObject({
      event: 'subscription.deleted',
      data: { subscriber_id: known.subscriberId, first_name: known.traces[0], active: false },
    });
    failing.behave(500);
  });

  test('ends a login of theirs; their late tap is told so, and they can log in again', async () => {
    const project = await service.createProject();
    const user = freshName(channel);
    const profile = { first_name: `Late${user}` };
    await confirmedSession(service, project, user, { channel, profile });
    const { body } = await project.api('GET', '/v1/subscribers');
    const session = await createSession(project);
    await openAndWait(service, channel, user, startOf(linkOf(session, channel)), profile);
    const poll = project.api('GET', `/v1/auth/session/${session.session_id}/status?wait=20`);
    await project.api('DELETE', `/v1/subscribers/${body.data[0].subscriber_id}`);
    expect((await poll).body).toMatchObject({ status: 'expired' });
    await service.control.tap(channel, user, { button: 0 });
    const { toasts } = await eventually(async () => {
      const chat = await service.control.chat(channel, user);
      return chat.toasts.length > 0 ? chat : undefined;
    });
    expect([botTexts.en.sessionEnded, botTexts.ru.sessionEnded]).toContain(toasts.at(-1)?.text);
    expect(await statusInDatabase(service, session.session_id)).toBe('expired');

    const again = await confirmedSession(service, project, user, { channel, profile });
    expect(again.status.status).toBe('confirmed');
    // The message is edited after the commit.
    await eventually(async () => (await lastBotMessage(service, channel, user))?.buttons.length === 0);
  });
});

test('removing a subscriber erases what was published about them, wherever and in whichever form it names them', async () => {
  const project = await service.createProject();
  await confirmedSession(service, project, freshName('published'));
  const { body: list } = await project.api('GET', '/v1/subscribers');
  const id = list.data[0].subscriber_id as string;
  const { key, hash, hint } = newApiKey();
  await insertApiKey(service.pool, { project_id: project.id, hash, hint, scopes: ['publish'] });
  const ticket = (subscriber_id: string | null, text: string) => ({
    event: 'ticket.created',
    data: { ...eventRegistry['ticket.created'].example, subscriber_id, text },
  });
  const form = (answers: object, subscriber_id: string) => {
    const { subscriber_id: _, answers: __, ...rest } = eventRegistry['form.submitted'].example;
    return { event: 'form.submitted', data: { answers, subscriber_id, ...rest } };
  };
  const named = [
    ticket(id, 'as Herald writes it'),
    ticket(formatSubscriberId(id, 'prefixed'), 'in the other form'),
    ticket(id.toUpperCase(), 'in upper case'),
    form({ subscriber_id: 'an answer' }, id),
    form({ subscriber_id: randomUUID() }, formatSubscriberId(id, 'prefixed')),
  ];
  const others = [ticket(randomUUID(), 'of another'), ticket(null, 'of no one'), ticket('crm-7', 'foreign')];
  const events = [...named, ...others];
  const published = await service.apiWith(key)('POST', '/v1/publish', { events });
  expect(published.status).toBe(202);
  const held = await project.api('GET', `/v1/subscribers/${id}/data`);
  const shown = (held.body.events as { body: object }[]).map(({ body }) => body);
  expect(shown).toEqual(expect.arrayContaining(named));
  expect(shown.filter((event) => JSON.stringify(others).includes(JSON.stringify(event)))).toEqual([]);

  expect((await project.api('DELETE', `/v1/subscribers/${id}`)).status).toBe(204);
  const left = await eventually(async () => {
    const { rows } = await service.pool.query<{ body: string }>(
      `SELECT body FROM events WHERE project_id = $1 AND name IN ('ticket.created', 'form.submitted')`,
      [project.id],
    );
    return rows.length === others.length && rows.map(({ body }) => body).sort();
  });
  expect(left).toEqual(others.map((event) => JSON.stringify(event)).sort());
});

test('what is held about a person in thousands of rows is erased in batches before the removal', async () => {
  const project = await service.createProject();
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     VALUES ($1, 'telegram', $2, $2, 'Anna', 'en') RETURNING id`,
    [project.id, freshName('telegram')],
  );
  const id = rows[0]!.id;
  for (const insert of [
    `INSERT INTO tracked_events (id, project_id, subscriber_id, event_id, name, properties, occurred_at)
     SELECT gen_random_uuid(), $1, $2, n, 'seen', '{}', now() FROM generate_series(1, 1500) n`,
    `INSERT INTO events (project_id, name, body, subscriber_id)
     SELECT $1, 'event.tracked', '{}', $2 FROM generate_series(1, 1500)`,
    `INSERT INTO messages (project_id, request_id, subscriber_id, channel, source, status, created_at)
     SELECT $1, gen_random_uuid(), $2, 'telegram', 'send', 'sent', now() - interval '3 days' FROM generate_series(1, 1500)`,
  ]) {
    await service.pool.query(insert, [project.id, id]);
  }
  const held = async () => {
    const counted = await service.pool.query<{ rows: number }>(
      `SELECT ((SELECT count(*) FROM tracked_events WHERE subscriber_id = $1)
        + (SELECT count(*) FROM events WHERE subscriber_id = $1)
        + (SELECT count(*) FROM messages WHERE subscriber_id = $1))::int AS rows`,
      [id],
    );
    return counted.rows[0]!.rows;
  };
  const client = await service.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM subscribers WHERE id = $1 FOR KEY SHARE', [id]);
    const removal = project.api('DELETE', `/v1/subscribers/${id}`);
    // Committed, while the removal itself still waits.
    await eventually(async () => (await held()) === 0);
    expect((await project.api('GET', `/v1/subscribers/${id}`)).status).toBe(200);
    await client.query('COMMIT');
    expect((await removal).status).toBe(204);
  } finally {
    client.release();
  }
  expect((await project.api('GET', `/v1/subscribers/${id}`)).status).toBe(404);
});
