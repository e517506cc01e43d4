import { runRetention } from '../../../src/process/operations/retention';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { eventsOf, subscribePerson, textsTo, type Person } from './fixture';

describe('the turn of a single message', () => {
  let service: TestService;
  let project: TestProject;
  let person: Person;
  beforeAll(async () => {
    // Its own: it changes the pace of the shared bot.
    service = await startTestService({ roles: 'api,bots' });
  });
  beforeEach(async () => {
    project = await service.createProject();
    person = await subscribePerson(service, project);
  });
  afterEach(async () => {
    for (const channel of ['telegram', 'max'] as const) {
      await service.control.faults(channel, { clear: true });
      await service.control.limits(channel, {});
    }
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    await service.pool.query('TRUNCATE chat_pace');
  });
  afterAll(() => service.stop());

  const send = (to: Person, text = 'hello', from = project) =>
    from.api('POST', '/v1/send', { subscriber_id: to.subscriberId, text });

  it.each(['telegram', 'max'] as const)('comes once a second in a chat of %s, in order', async (channel) => {
    const chat = await subscribePerson(service, project, channel);
    await service.control.limits(channel, { chat_per_second: 1 });
    const texts = ['1', '2', '3'];
    const began = performance.now();
    const answers = [];
    for (const text of texts) answers.push(send(chat, text));
    expect((await Promise.all(answers)).map(({ body }) => body.sent)).toEqual([1, 1, 1]);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect((await textsTo(service, chat)).slice(-3).sort()).toEqual(texts);
    // A busy machine can delay a call after its claim, so that it meets the next one. Without the pace it would be two.
    expect((await service.control.stats(channel)).messages_throttled).toBeLessThan(2);
  });

  it('does not come for a chat that must wait longer than ten seconds', async () => {
    await service.control.faults('telegram', { method: 'sendMessage', status: 429, retry_after: 60 });
    expect((await send(person)).body).toMatchObject({ failed: 1, details: [{ reason: 'rate_limited' }] });
    // The next one knows without asking the platform.
    const calls = await service.control.callCount('telegram', 'sendMessage');
    expect((await send(person)).body).toMatchObject({ failed: 1, details: [{ reason: 'rate_limited' }] });
    expect(await service.control.callCount('telegram', 'sendMessage')).toBe(calls);
    const failed = await eventsOf(service, project, 'delivery.failed');
    expect(failed.map(({ data }) => [data['reason'], data['retryable']])).toEqual([
      ['rate_limited', true],
      ['rate_limited', true],
    ]);
    // Others are not affected.
    const other = await subscribePerson(service, project);
    expect((await send(other)).body.sent).toBe(1);
  });

  it('comes again after a short 429, which delays that chat only', async () => {
    const other = await subscribePerson(service, project);
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 429,
      // The other one has 6 s; the delayed one has the remaining 4 of its ten.
      retry_after: 6,
      user: person.name,
    });
    const delayed = send(person);
    await eventually(
      async () =>
        (await service.pool.query('SELECT 1 FROM chat_pace WHERE throttled_at IS NOT NULL')).rows.length > 0,
    );
    const order: string[] = [];
    await Promise.all([
      delayed.then(() => order.push('the delayed one')),
      send(other).then(() => order.push('the other')),
    ]);
    expect(order).toEqual(['the other', 'the delayed one']);
    expect((await delayed).body.sent).toBe(1);
    expect(await textsTo(service, other)).toContain('hello');
    expect((await textsTo(service, person)).filter((text) => text === 'hello')).toHaveLength(1);
  });

  it('does not come while the platform has stopped the bot, and one-time codes are not charged', async () => {
    await service.pool.query(
      `UPDATE bot_pace SET next_at = now() + interval '1 hour' WHERE bot = 'telegram'`,
    );
    expect((await send(person)).body).toMatchObject({ failed: 1, details: [{ reason: 'rate_limited' }] });
    for (let i = 0; i < 4; i += 1) {
      const otp = await project.api('POST', '/v1/otp/send', { subscriber_id: person.subscriberId });
      expect([otp.status, otp.body.code]).toEqual([500, 'platform_busy']);
    }
    // The bot itself still answers: replies and login questions do not wait.
    const session = await project.api('POST', '/v1/auth/session', { state: 'abc' });
    const start = new URL(session.body.telegram_link as string).searchParams.get('start');
    await service.control.open('telegram', person.name, { start });
    await eventually(async () => {
      const { messages } = await service.control.chat('telegram', person.name);
      return messages.some(({ buttons }) => buttons.length > 0);
    });
    // Another bot is another pace.
    const onMax = await subscribePerson(service, project, 'max');
    expect((await send(onMax)).body.sent).toBe(1);
  });

  it('is counted for replies that did not wait', async () => {
    await service.pool.query(`UPDATE bot_pace SET next_at = now() - interval '1 second'`);
    const { rows: before } = await service.pool.query<{ next_at: Date }>(
      `SELECT next_at FROM bot_pace WHERE bot = 'telegram'`,
    );
    await service.control.say('telegram', person.name, 'hello?');
    await eventually(async () => {
      const { rows } = await service.pool.query<{ next_at: Date }>(
        `SELECT next_at FROM bot_pace WHERE bot = 'telegram'`,
      );
      return rows[0] && before[0] && rows[0].next_at > before[0].next_at;
    });
  });

  it('leaves nothing behind', async () => {
    await send(person);
    await service.pool.query(`UPDATE chat_pace SET next_at = now() - interval '2 minutes'`);
    await service.pool.query(
      `INSERT INTO bot_turns (bot, urgent, project_id, served, waiting_until)
       VALUES ('telegram', true, gen_random_uuid(), 0, now() - interval '2 minutes')`,
    );
    await runRetention({ pool: service.pool, config: service.config, log: service.service.core.log });
    const { rows } = await service.pool.query(
      `SELECT bot FROM chat_pace UNION ALL SELECT bot FROM bot_turns WHERE waiting_until < now() - interval '1 minute'`,
    );
    expect(rows).toEqual([]);
  });
});
