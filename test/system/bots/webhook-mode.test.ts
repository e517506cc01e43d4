import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { createApi } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import type { User } from '../../support/simulator-control';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { expectError } from '../http/fixture';
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
} from '../login/fixture';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';

const secret = 'secret-of-the-bot-webhook';
const secretHeader: Record<SimulatedChannel, string> = {
  telegram: 'x-telegram-bot-api-secret-token',
  max: 'x-max-bot-api-secret',
};

/** The whole service with HERALD_BOT_UPDATES=webhook, and a database that can be taken away from it. */
let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let project: TestProject;

beforeAll(async () => {
  database = await createTestDatabase();
  const address = new URL(database.url);
  proxy = await startTcpProxy(Number(address.port));
  address.port = String(proxy.port);
  // Its own: updates by webhook.
  service = await startTestService({
    queues: ['logins'],
    env: { HERALD_BOT_UPDATES: 'webhook', HERALD_BOT_WEBHOOK_SECRET: secret },
    database: { ...database, url: address.href },
  });
});
afterAll(async () => {
  await proxy?.open();
  await service?.stop();
  await proxy?.close();
  await database?.drop();
});
beforeEach(async () => {
  project = await service.createProject();
});

describe.each(simulatedChannels)('updates of %s by webhook', (channel) => {
  /** The bot has asked, and nothing that the user did before waits any more. */
  async function asked(user: User): Promise<{ session: CreatedSession; messageId: unknown; yes: string }> {
    const session = await createSession(project);
    const question = await openAndWait(service, channel, user, startOf(linkOf(session, channel)));
    await allHandled();
    return { session, messageId: question.message_id, yes: question.buttons[0]?.[0]?.data ?? '' };
  }

  /** As the platform delivers a tap on Yes. */
  function deliverTap(id: number, messageId: unknown, data: string, header: string) {
    const update =
      channel === 'telegram'
        ? {
            update_id: 1,
            callback_query: {
              id: 'forged',
              from: { id, is_bot: false, first_name: 'Anna' },
              message: { message_id: messageId, chat: { id, type: 'private' }, date: 1 },
              data,
            },
          }
        : {
            update_type: 'message_callback',
            timestamp: 1,
            callback: { callback_id: 'forged', payload: data, user: { user_id: id, first_name: 'Anna' } },
            message: null,
          };
    return createApi(service.url, null)('POST', `/bots/${channel}`, update, {
      [secretHeader[channel]]: header,
    });
  }

  async function allHandled(): Promise<void> {
    await eventually(async () => {
      const { pending_updates } = await service.control.stats(channel);
      const { rows } = await service.pool.query('SELECT 1 FROM bot_updates WHERE handled_at IS NULL');
      return pending_updates === 0 && rows.length === 0;
    });
  }

  async function storedUpdates(): Promise<number> {
    const { rows } = await service.pool.query<{ count: number }>('SELECT count(*) AS count FROM bot_updates');
    return rows[0]?.count ?? -1;
  }

  test('the bots role tells the platform its address and its secret, and never polls', async () => {
    const call = await eventually(async () => (await service.control.calls(channel, 'setWebhook'))[0]);
    expect(call).toMatchObject({ url: `${service.url}/bots/${channel}` });
    expect(call[channel === 'telegram' ? 'secret_token' : 'secret']).toBe(secret);
    expect(await service.control.callCount(channel, 'getUpdates')).toBe(0);
  });

  test('a login completes: question, tap, edited message, code', async () => {
    const user = `webhook-${channel}`;
    const { status } = await confirmedSession(service, project, user, { channel });
    await eventually(async () => {
      const last = await lastBotMessage(service, channel, user);
      return last?.edited && last.buttons.length === 0;
    });
    expect((await project.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);
  });

  test('a tap with a wrong secret is refused and leaves no trace; with the right one it counts', async () => {
    const user = 50_001;
    const { session, messageId, yes } = await asked(user);
    const before = await storedUpdates();
    expectError(await deliverTap(user, messageId, yes, 'wrong'), 'unauthorized');
    expect(await storedUpdates()).toBe(before);
    expect(await statusInDatabase(service, session.session_id)).toBe('pending');

    expect((await deliverTap(user, messageId, yes, secret)).status).toBe(200);
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('of a No that overtakes an earlier Yes only the one that arrives first has an effect', async () => {
    const user = `overtaken-${channel}`;
    const { session } = await asked(user);
    await service.control.faults(channel, { updates: 'reorder', times: 2 });
    await service.control.tap(channel, user, { button: 'Yes' });
    await service.control.tap(channel, user, { button: 'No' });
    await waitForStatus(service, session.session_id, 'declined');
    await allHandled();
    expect(await statusInDatabase(service, session.session_id)).toBe('declined');
    expect(await eventsOf(service, project)).toEqual([]);
  });

  test('while the database is unavailable a tap gets a 503; the platform delivers it again, and it has one effect', async () => {
    const user = `away-${channel}`;
    const { session } = await asked(user);
    await proxy.close();
    try {
      await service.control.tap(channel, user, { button: 'Yes' });
      const direct = await createApi(service.url, null)(
        'POST',
        `/bots/${channel}`,
        {},
        { [secretHeader[channel]]: secret },
      );
      expectError(direct, 'service_unavailable');
      expect((await service.control.stats(channel)).pending_updates).toBe(1);
    } finally {
      await proxy.open();
    }
    await waitForStatus(service, session.session_id, 'confirmed');
    expect((await eventsOf(service, project)).map(({ name }) => name).sort()).toEqual([
      'auth.completed',
      'subscription.created',
    ]);
  });
});
