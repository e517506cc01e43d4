import { parseUpdate } from '../../../src/domains/bots/parse-update';
import { createLeaders } from '../../../src/domains/bots/leader';
import { type Polling, startPolling } from '../../../src/domains/bots/polling';
import type { Messenger } from '../../../src/domains/bots/messenger';
import type { StoredUpdate } from '../../../src/domains/bots/intake';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually, SOON_MS } from '../../support/eventually';
import { quiet, startBotFixture, startIntake, textOf, type BotFixture, type RunningIntake } from './fixture';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';

describe.each(simulatedChannels)('long polling of %s', (channel: SimulatedChannel) => {
  let fixture: BotFixture;
  let database: TestDatabase;
  let messenger: Messenger;
  let running: RunningIntake;
  let pollings: Polling[] = [];
  let seen: StoredUpdate[] = [];

  beforeEach(async () => {
    [fixture, database] = await Promise.all([startBotFixture(), createTestDatabase()]);
    messenger = await fixture.messenger(channel);
    seen = [];
    running = startIntake(database, async (update) => void seen.push(update));
  });
  afterEach(async () => {
    await Promise.all(pollings.map((polling) => polling.stop()));
    pollings = [];
    await running.stop();
    await Promise.all([fixture.stop(), database.drop()]);
  });

  function start(intake: Pick<RunningIntake['intake'], 'store'> = running.intake): Polling {
    const { pool, url: databaseUrl } = database;
    const leaders = createLeaders({ databaseUrl, log: quiet });
    const started = startPolling({
      channel,
      messenger: () => messenger,
      intake,
      pool,
      leaders,
      log: quiet,
    });
    const polling = {
      async stop() {
        await started.stop();
        await leaders.stop();
      },
    };
    pollings.push(polling);
    return polling;
  }

  const say = (user: string, text: string) => fixture.control.say(channel, user, text);
  const texts = () => seen.map(textOf);
  const polls = async () => (await fixture.control.calls(channel, 'getUpdates')).length;

  it('delivers updates in order, including those from before the start', async () => {
    await say('anna', 'before');
    start();
    await eventually(() => seen.length === 1);
    for (const text of ['one', 'two', 'three']) await say('anna', text);
    await fixture.control.block(channel, 'anna');
    await eventually(() => seen.length === 5);
    expect(texts()).toEqual(['before', 'one', 'two', 'three', 'blocked']);
  });

  it('has one effect for updates that come twice or out of order', async () => {
    const polled: string[] = [];
    start({
      store: async (...args) => {
        const [from, raws] = args;
        polled.push(...raws.map((raw) => textOf({ parsed: parseUpdate(from, raw).parsed })));
        await running.intake.store(...args);
      },
    });
    await fixture.control.faults(channel, { updates: 'duplicate', times: 3 });
    await fixture.control.faults(channel, { updates: 'reorder', times: 3 });
    for (const text of ['one', 'two', 'three', 'four']) await say('anna', text);
    await eventually(() => seen.length >= 4);
    await say('anna', 'last');
    await eventually(() => texts().includes('last'));
    expect(polled.slice(0, 6)).toEqual(['three', 'three', 'two', 'two', 'one', 'one']);
    expect(texts()).toEqual(['one', 'two', 'three', 'four', 'last']);
  });

  it('continues after errors, limits and cut connections, and loses nothing', async () => {
    await fixture.control.faults(channel, { method: 'getUpdates', status: 429, retry_after: 1 });
    await fixture.control.faults(channel, { method: 'getUpdates', status: 502 });
    await fixture.control.faults(channel, { method: 'getUpdates', drop: true });
    await fixture.control.faults(channel, { method: 'getUpdates', drop_after: true });
    await say('anna', 'through all of it');
    start();
    await eventually(() => seen.length === 1);
    expect(await polls()).toBeGreaterThanOrEqual(5);
    await say('anna', 'and on');
    await eventually(() => seen.length === 2);
    expect(texts()).toEqual(['through all of it', 'and on']);
  });

  it('takes updates off the platform only after they are stored', async () => {
    await say('anna', 'kept');
    let refusals = 2;
    const store: RunningIntake['intake']['store'] = async (...args) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the database is unavailable');
      }
      await running.intake.store(...args);
    };
    start({ store });
    await eventually(() => seen.length === 1);
    expect(refusals).toBe(0);
    expect(texts()).toEqual(['kept']);
  });

  it('removes a webhook that was left set', async () => {
    await messenger.setWebhook('http://127.0.0.1:1/bots', 'test-only-secret-000');
    start();
    await say('anna', 'hello');
    await eventually(() => seen.length === 1);
  });

  it('stops at once although a poll is under way', async () => {
    const polling = start();
    await eventually(async () => (await polls()) > 0);
    const started = performance.now();
    await polling.stop();
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  });

  it('is done by one process; the next one takes over where it stopped', async () => {
    const first = start();
    await say('anna', 'one');
    await eventually(() => seen.length === 1);
    let stoodBy = true;
    start({
      store: async (...args) => {
        stoodBy = false;
        await running.intake.store(...args);
      },
    });
    await say('anna', 'two');
    await eventually(() => seen.length === 2);
    expect(stoodBy).toBe(true);
    await first.stop();
    await say('anna', 'three');
    await eventually(() => seen.length === 3);
    expect(stoodBy).toBe(false);
    expect(texts()).toEqual(['one', 'two', 'three']);
  });

  it('resumes when its database connection is cut', async () => {
    start();
    await say('anna', 'one');
    await eventually(() => seen.length === 1);
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'herald leader'`,
    );
    await say('anna', 'two');
    await eventually(() => seen.length === 2);
    expect(texts()).toEqual(['one', 'two']);
  });
});
