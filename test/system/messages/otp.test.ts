import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { blockBilling, eventsOf, subscribePerson, textsTo, type Person } from './fixture';

describe('one-time codes', () => {
  let service: Installation;
  let project: TestProject;
  let person: Person;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject({ name: 'Bakery' });
    person = await subscribePerson(service, project);
  });
  afterEach(() => service.control.faults('telegram', { clear: true }));
  afterAll(() => service.stop());

  const send = (more: Record<string, unknown> = {}) =>
    project.api('POST', '/v1/otp/send', { subscriber_id: person.subscriberId, ...more });
  const verify = (code: string, more: Record<string, unknown> = {}) =>
    project.api('POST', '/v1/otp/verify', { subscriber_id: person.subscriberId, code, ...more });
  const lastCode = async (who = person) =>
    /^(\d+)\n/.exec((await textsTo(service, who)).at(-1) ?? '')?.[1] ?? '';
  const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
  const eventNames = async () =>
    (await eventsOf(service, project))
      .map((event) => event.name)
      .filter((name) => name.startsWith('otp.') || name.startsWith('delivery.'));

  it('are sent, verified once, and leave their events', async () => {
    const sent = await send();
    expect([sent.status, sent.body]).toEqual([200, { sent: true, expires_in_seconds: 300 }]);
    const code = await lastCode();
    expect(code).toMatch(/^\d{6}$/);
    expect((await textsTo(service, person)).at(-1)).toContain('Bakery');
    const good = await verify(code);
    expect([good.status, good.body]).toEqual([200, { verified: true }]);
    expect((await verify(code)).body.code).toBe('not_found');
    const events = await eventsOf(service, project, 'otp.sent', 'otp.verified', 'delivery.success');
    expect(events.map((event) => event.name).sort()).toEqual([
      'delivery.success',
      'otp.sent',
      'otp.verified',
    ]);
    expect(events.find((event) => event.name === 'otp.verified')?.data).toEqual({
      subscriber_id: person.subscriberId,
      channel: 'telegram',
      external_id: null,
      purpose: 'default',
      occurred_at: expect.stringMatching(/\+00:00$/),
    });
  });

  it('are kept nowhere in the clear', async () => {
    await send({ code_length: 8 });
    const code = await lastCode();
    const { rows } = await service.pool.query<{ dump: string }>(
      // Among all that other tests have left, a number may have the same digits.
      `SELECT (SELECT coalesce(string_agg(o::text, ' '), '') FROM otp_codes o WHERE subscriber_id = $2)
            || (SELECT coalesce(string_agg(m::text, ' '), '') FROM messages m WHERE project_id = $1)
            || (SELECT coalesce(string_agg(e::text, ' '), '') FROM events e WHERE project_id = $1) AS dump`,
      [project.id, person.subscriberId],
    );
    expect(rows[0]?.dump).toContain(person.subscriberId);
    expect(code).toMatch(/^\d{8}$/);
    expect(rows[0]?.dump).not.toContain(code);
  });

  it('speak the language of the user and come in lengths of 4, 6 and 8', async () => {
    const russian = await subscribePerson(service, project, 'max', { language_code: 'ru-RU' });
    await project.api('POST', '/v1/otp/send', { subscriber_id: russian.subscriberId, code_length: 4 });
    expect((await textsTo(service, russian)).at(-1)).toMatch(/^\d{4}\n\nЭто ваш код/);
    expect(await lastCode(russian)).toMatch(/^\d{4}$/);
    for (const bad of [
      { code_length: 5 },
      { ttl_minutes: 0 },
      { ttl_minutes: 31 },
      { max_attempts: 0 },
      { max_attempts: 11 },
      { purpose: '' },
    ]) {
      expect((await send(bad)).body.code).toBe('validation_failed');
    }
    expect((await send({ ttl_minutes: 30, max_attempts: 10 })).body.expires_in_seconds).toBe(1800);
  });

  it('allow three wrong tries by default, then are used up', async () => {
    await send();
    const code = await lastCode();
    for (let i = 0; i < 3; i += 1) {
      const { status, body } = await verify(wrong(code));
      expect([status, body.code, body.retryable]).toEqual([400, 'invalid_code', false]);
    }
    const late = await verify(code);
    expect([late.status, late.body.code]).toEqual([404, 'not_found']);
    const failed = await eventsOf(service, project, 'otp.failed_attempt');
    expect(failed.map((event) => event.data['attempts_left'])).toEqual([2, 1, 0]);
    expect(await eventsOf(service, project, 'otp.max_attempts_reached')).toHaveLength(1);
  });

  it('never allow more tries than that, even concurrently', async () => {
    await send({ max_attempts: 5 });
    const code = await lastCode();
    const answers = await Promise.all(Array.from({ length: 30 }, () => verify(wrong(code))));
    expect(answers.filter((answer) => answer.body.code === 'invalid_code')).toHaveLength(5);
    expect(answers.filter((answer) => answer.body.code === 'not_found')).toHaveLength(25);
    expect(await eventsOf(service, project, 'otp.max_attempts_reached')).toHaveLength(1);
  });

  it('are verified once by concurrent requests', async () => {
    await send();
    const code = await lastCode();
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(code)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 'not_found')).toHaveLength(9);
  });

  it('live as long as requested', async () => {
    await send({ ttl_minutes: 1 });
    const code = await lastCode();
    await service.pool.query(
      `UPDATE otp_codes SET expires_at = expires_at - interval '1 minute' WHERE subscriber_id = $1`,
      [person.subscriberId],
    );
    expect((await verify(code)).body.code).toBe('not_found');
  });

  it('replace the active one of their purpose and no other', async () => {
    await send({ purpose: 'login' });
    const first = await lastCode();
    await send({ purpose: 'payment' });
    const payment = await lastCode();
    await send({ purpose: 'login', max_attempts: 10 });
    const second = await lastCode();
    if (first !== second) expect((await verify(first, { purpose: 'login' })).body.code).toBe('invalid_code');
    expect((await verify(second, { purpose: 'login' })).status).toBe(200);
    expect((await verify(payment, { purpose: 'payment' })).status).toBe(200);
    expect((await verify(payment)).body.code).toBe('not_found');
  });

  it('come three an hour to a subscriber, exactly; then 429 with the true Retry-After', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => send({ purpose: `p${i}` })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.body).toMatchObject({ code: 'rate_limit_otp', retryable: true });
    const wait = Number(refused?.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);

    const other = await subscribePerson(service, project);
    const theirs = await project.api('POST', '/v1/otp/send', { subscriber_id: other.subscriberId });
    expect(theirs.status).toBe(200);
    await service.pool.query(
      `UPDATE otp_codes SET created_at = created_at - interval '1 hour'
       WHERE id = (SELECT id FROM otp_codes WHERE subscriber_id = $1 ORDER BY created_at LIMIT 1)`,
      [person.subscriberId],
    );
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
  });

  it.each([{ status: 502 }, { drop: true }, { status: 429, retry_after: 60 }])(
    'are not counted where the platform is unavailable (%j), and the one before stays good',
    async (fault) => {
      await send();
      const code = await lastCode();
      await service.control.faults('telegram', {
        method: 'sendMessage',
        times: 4,
        user: person.name,
        ...fault,
      });
      for (let i = 0; i < 4; i += 1) {
        const { status, body } = await send();
        expect([status, body.code, body.retryable]).toEqual([500, 'platform_busy', true]);
      }
      expect(await eventsOf(service, project, 'delivery.failed')).toHaveLength(4);
      expect((await verify(code)).status).toBe(200);
      // The minute that the platform asked for is over.
      await service.control.faults('telegram', { clear: true });
      await service.pool.query('TRUNCATE chat_pace');
      expect((await send()).status).toBe(200);
    },
  );

  it('report at once that the user cannot be reached', async () => {
    await service.control.faults('telegram', { method: 'sendMessage', status: 403, user: person.name });
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await send();
      expect([status, body.code, body.error]).toEqual([
        409,
        'conflict',
        'The subscriber has blocked the bot.',
      ]);
    }
    expect(await eventNames()).toEqual(['delivery.failed']);
    expect(await eventsOf(service, project, 'subscription.deleted')).toHaveLength(1);
  });

  it('need a subscriber of the project and credits', async () => {
    for (const subscriber_id of ['nobody', '00000000-0000-4000-8000-000000000000']) {
      const body = { subscriber_id, code: '123456' };
      expect((await project.api('POST', '/v1/otp/send', { subscriber_id })).body.code).toBe(
        'subscriber_not_found',
      );
      expect((await project.api('POST', '/v1/otp/verify', body)).body.code).toBe('subscriber_not_found');
    }
    expect((await verify('123456')).body.code).toBe('not_found');
    await blockBilling(service, project);
    expect((await send()).body.code).toBe('billing_blocked');
  });
});
