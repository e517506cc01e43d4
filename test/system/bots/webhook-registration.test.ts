import type { Messenger } from '../../../src/domains/bots/messenger';
import { findWebhookRegistration } from '../../../src/domains/bots/queries/webhooks';
import {
  startWebhookRegistration,
  type RunningRegistration,
} from '../../../src/domains/bots/webhook-registration';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { quiet, startBotFixture, type BotFixture } from './fixture';
import { simulatedChannels } from '../../support/simulator-control';

describe.each(simulatedChannels)('the webhook of %s', (channel) => {
  const url = 'https://herald.example/bots/x';
  let database: TestDatabase;
  let fixture: BotFixture;
  let messenger: Messenger | null;
  let registration: RunningRegistration;
  beforeEach(async () => {
    database = await createTestDatabase();
    fixture = await startBotFixture();
    messenger = null;
  });
  afterEach(async () => {
    await registration.stop();
    await fixture.stop();
    await database.drop();
  });

  function start(): void {
    registration = startWebhookRegistration({
      bot: channel,
      messenger: () => messenger,
      url,
      secret: 'secret-of-the-bot',
      pool: database.pool,
      log: quiet,
      checkMs: 50,
    });
  }

  const recorded = () => findWebhookRegistration(database.pool, channel);
  const untilRegistered = () =>
    eventually(async () => (await messenger?.webhookState())?.urls.includes(url) ?? false);

  it('is registered once the platform is back', async () => {
    start();
    await registration.attempted;
    messenger = await fixture.messenger(channel);
    await untilRegistered();
    expect(await eventually(recorded)).toMatchObject({ url, error: null });
  });

  it('is registered again after a refusal, whose reason an operator can read', async () => {
    messenger = await fixture.messenger(channel);
    await fixture.control.faults(channel, { method: 'setWebhook', status: 502, times: 1_000 });
    start();
    await registration.attempted;
    expect(await recorded()).toMatchObject({ url, error: expect.stringMatching(/^platform_unavailable/) });
    await fixture.control.faults(channel, { clear: true });
    await untilRegistered();
    await eventually(async () => (await recorded())?.error === null);
  });

  it('is registered again when the platform has lost it', async () => {
    messenger = await fixture.messenger(channel);
    start();
    await untilRegistered();
    await messenger.deleteWebhook();
    await untilRegistered();
  });
});
