import pino from 'pino';
import { runRetention } from '../../../src/process/operations/retention';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { eventsOf, freshName, subscribePerson, type Person } from './fixture';

describe('retention', () => {
  let service: TestService;
  let project: TestProject;
  let person: Person;
  beforeAll(async () => {
    // Its own: it counts every row and deletes old ones.
    service = await startTestService({ roles: 'api,bots', env: { HERALD_RETENTION_DAYS: '10' } });
    project = await service.createProject();
    person = await subscribePerson(service, project);
  });
  afterAll(() => service.stop());

  const keep = () =>
    runRetention({ pool: service.pool, config: service.config, log: pino({ level: 'silent' }) });
  const count = async (table: string) => {
    const { rows } = await service.pool.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
    return rows[0]?.n;
  };
  const send = (key?: string) =>
    project.api(
      'POST',
      '/v1/send',
      { subscriber_id: person.subscriberId, text: 'x' },
      key ? { 'idempotency-key': key } : {},
    );

  it('keeps messages for the retention time, and keys for a day', async () => {
    await send(freshName('key'));
    await project.api('POST', '/v1/otp/send', { subscriber_id: person.subscriberId });
    await project.api('POST', '/v1/broadcast', { text: 'x' });
    await service.pool.query(`UPDATE broadcasts SET status = 'cancelled', ended_at = now()`);
    const tables = ['messages', 'idempotency_keys', 'otp_codes', 'broadcasts', 'broadcast_recipients'];
    const counts = () => Promise.all(tables.map(count));
    await keep();
    expect(await counts()).toEqual([2, 1, 1, 1, 1]);
    await service.pool.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours'`);
    await service.pool.query(`UPDATE otp_codes SET created_at = now() - interval '25 hours'`);
    await service.pool.query(`UPDATE messages SET created_at = now() - interval '9 days'`);
    await keep();
    expect(await counts()).toEqual([2, 0, 0, 1, 1]);
    await service.pool.query(`UPDATE messages SET created_at = now() - interval '11 days'`);
    // As one that was skipped while it waited.
    await service.pool.query(`UPDATE messages SET status = 'skipped' WHERE source = 'send'`);
    await service.pool.query(`UPDATE broadcasts SET ended_at = now() - interval '11 days'`);
    await keep();
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
  });

  it('keeps references to uploaded media for a week', async () => {
    await service.pool.query(
      `INSERT INTO media_uploads (channel, bot_id, content_key, reference, type, created_at)
       SELECT 'max', '1', days::text, 'token', 'video', now() - make_interval(days => days)
       FROM generate_series(6, 8) AS days`,
    );
    await keep();
    const { rows } = await service.pool.query<{ content_key: string }>(
      'SELECT content_key FROM media_uploads',
    );
    expect(rows.map((upload) => upload.content_key)).toEqual(['6']);
  });

  it('gives a result to a message whose process was killed', async () => {
    const { body } = await send();
    await service.pool.query(
      `UPDATE messages SET status = 'sending', media_message_id = '1', created_at = now() - interval '16 minutes'
       WHERE id = $1`,
      [body.details[0].delivery_id],
    );
    await keep();
    await keep();
    const failed = await eventsOf(service, project, 'delivery.failed');
    expect(failed.map((event) => event.data)).toEqual([
      expect.objectContaining({
        subscriber_id: person.subscriberId,
        reason: 'unknown',
        retryable: false,
        error: 'The service stopped between the media, which has arrived, and the text, which may have.',
      }),
    ]);
  });

  it('reports a reply in a ticket as unknown whose process was killed', async () => {
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    const ticket = { subscriber_id: person.subscriberId, text: 'Where is my order?' };
    const { body } = await project.api('POST', '/v1/helpdesk/tickets', ticket);
    const messages = `/v1/helpdesk/tickets/${body.ticket_id}/messages`;
    const reply = await project.api('POST', messages, { content: { text: 'On its way.' } });
    expect(reply.body.delivery).toEqual({ status: 'sent', reason: null });
    await service.pool.query(
      `UPDATE messages SET status = 'sending', created_at = now() - interval '16 minutes' WHERE source_id = $1`,
      [body.ticket_id],
    );
    await service.pool.query(
      `UPDATE ticket_messages SET delivery_status = 'queued' WHERE ticket_id = $1 AND sender = 'agent'`,
      [body.ticket_id],
    );
    const delivery = async () => (await project.api('GET', messages)).body.data[0].delivery;
    await keep();
    expect(await delivery()).toEqual({ status: 'failed', reason: 'unknown' });
    // Still known after the message itself was removed.
    await service.pool.query(`UPDATE messages SET created_at = now() - interval '11 days'`);
    await keep();
    expect(await delivery()).toEqual({ status: 'failed', reason: 'unknown' });
  });

  it('leaves a queued message to its scheduled entry, which may send it for a day', async () => {
    const entry = {
      subscriber_id: person.subscriberId,
      content: { text: 'x' },
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const { scheduled_id } = (await project.api('POST', '/v1/scheduled', entry)).body;
    const { delivery_id } = (await send()).body.details[0];
    await service.pool.query(
      `UPDATE messages SET status = 'queued', request_id = $2, created_at = now() - interval '16 minutes' WHERE id = $1`,
      [delivery_id, scheduled_id],
    );
    const status = async () => {
      const { rows } = await service.pool.query<{ status: string }>(
        'SELECT status FROM messages WHERE id = $1',
        [delivery_id],
      );
      return rows[0]?.status;
    };
    await keep();
    expect(await status()).toBe('queued');
    await service.pool.query(`UPDATE scheduled SET status = 'cancelled', ended_at = now() WHERE id = $1`, [
      scheduled_id,
    ]);
    await keep();
    expect(await status()).toBe('failed');
  });
});
