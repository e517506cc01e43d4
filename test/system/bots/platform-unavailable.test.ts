import { eventually } from '../../support/eventually';
import { createApi } from '../../support/api';
import { startTestService, type TestService } from '../../support/service';
import { startTestSimulator } from '../../support/simulator';
import { createSimulatorControl, simulatedChannels } from '../../support/simulator-control';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { telegramText } from './fixture';

const secret = 'secret-of-the-bot-webhook';

describe('platforms that are unavailable when the bots role starts', () => {
  let proxy: TcpProxy;
  let service: TestService;
  let stopSimulator: () => Promise<void>;
  beforeAll(async () => {
    const simulator = await startTestSimulator();
    stopSimulator = () => simulator.stop();
    proxy = await startTcpProxy(Number(new URL(simulator.url).port));
    await proxy.close();
    const apiRoot = `http://127.0.0.1:${proxy.port}`;
    // Its own: it starts while the messengers are unavailable.
    service = await startTestService({
      roles: 'api,bots',
      env: { HERALD_BOT_UPDATES: 'webhook', HERALD_BOT_WEBHOOK_SECRET: secret },
      simulator: { ...simulator, telegramApiRoot: apiRoot, maxApiRoot: apiRoot },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await proxy?.close();
    await stopSimulator?.();
  });

  test('get their webhooks once they are back, and updates are handled then, in order and with none set aside', async () => {
    const control = createSimulatorControl(service.simulator.url);
    const api = createApi(service.url, null);
    const user = 4_242;
    // Until a platform is back no user can have opened the bot; the simulator remembers this user from before.
    await control.open('telegram', user, { start: null });
    for (const [id, text] of ['first', '/stop', 'last'].entries()) {
      const stored = await api('POST', '/bots/telegram', telegramText(1_000 + id, user, text), {
        'x-telegram-bot-api-secret-token': secret,
      });
      expect(stored.status).toBe(200);
    }
    await eventually(async () => {
      const { rows } = await service.pool.query('SELECT 1 FROM bot_updates WHERE last_error IS NOT NULL');
      return rows.length > 0;
    });
    await proxy.open();
    for (const channel of simulatedChannels) {
      await eventually(async () => (await control.callCount(channel, 'setWebhook')) > 0);
      const [call] = await control.calls(channel, 'setWebhook');
      expect(call).toMatchObject({ url: `${service.url}/bots/${channel}` });
    }
    const { rows } = await eventually(async () => {
      const found = await service.pool.query(
        'SELECT failures, set_aside_at FROM bot_updates WHERE handled_at IS NOT NULL',
      );
      return found.rows.length >= 3 ? found : null;
    });
    expect(rows.every(({ failures, set_aside_at }) => failures === 0 && set_aside_at === null)).toBe(true);
    const { messages } = await control.chat('telegram', user);
    const replies = messages.filter(({ from }) => from === 'bot').map(({ text }) => text.split('.')[0]);
    expect(replies.slice(0, 3)).toEqual([
      'Sorry, I don’t understand that',
      'You have no active subscriptions',
      'Sorry, I don’t understand that',
    ]);
  });
});
