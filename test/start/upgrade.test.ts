import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import pg from 'pg';
import { openDataDir } from '../../src/local/data-dir';
import { startPostgres } from '../../src/local/postgres';
import { packageVersion } from '../../src/base/lib/package-version';
import { isValidWebhook } from '../../sdk/typescript/src';
import { createApi, type Api } from '../support/api';
import { eventually } from '../support/eventually';
import { startHerald, temporaryDataDir, type NpmProcess } from '../support/npm-start';
import { factsOf, releases, unpacked } from '../support/released/releases';
import { createSimulatorControl, type SimulatorControl } from '../support/simulator-control';
import { scriptedReceiver, type ScriptedReceiver } from '../system/webhooks/fixture';

jest.setTimeout(180_000);

/** The service was stopped for so long: what waited for a minute is due. */
const STOPPED_SECONDS = 90;

for (const release of releases) {
  describe(`a data directory of version ${release}`, () => {
    const facts = factsOf(release);
    let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
    let receiver: ScriptedReceiver;
    let herald: NpmProcess;
    let api: Api;
    let simulator: SimulatorControl;

    beforeAll(async () => {
      dataDir = await temporaryDataDir();
      receiver = await scriptedReceiver(200);
      mkdirSync(dataDir.path, { recursive: true, mode: 0o711 });
      const { status, stderr } = spawnSync('tar', ['-x', '-C', dataDir.path], {
        input: unpacked(release, 'data.tar.br'),
      });
      if (status !== 0) throw new Error(stderr.toString());
      await moveToNow(dataDir.path, facts.recorded_at, receiver.url);
      herald = startHerald({ HERALD_DATA_DIR: dataDir.path });
      const runtime = await herald.ready();
      api = createApi(String(runtime.api_url), facts.api_key);
      simulator = createSimulatorControl(String(runtime.simulator_url));
    });
    afterAll(async () => {
      herald?.signalGroup('SIGINT');
      await herald?.allGone();
      await receiver?.close();
      await dataDir?.remove();
    });

    it('starts with its keys and subscribers, and a code that was not redeemed', async () => {
      const { status, body } = await api('GET', `/v1/subscribers/${facts.subscriber_id}`);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ external_id: 'user-1', tags: ['vip'] }),
      ]);
      expect((await api('POST', '/v1/auth/verify', { code: facts.code })).body).toMatchObject({
        first_name: 'boris',
      });
    });

    it('makes the attempt for which a delivery waited', async () => {
      const received = await eventually(() => receiver.of(facts.delivery_id)[0], 60_000);
      expect(isValidWebhook(received.body, received.headers, facts.endpoint.secret)).toBe(true);
      const delivery = await eventually(async () => {
        const { body } = await api('GET', `/v1/deliveries/${facts.delivery_id}`);
        return body.status === 'succeeded' && body;
      });
      expect(delivery.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 200]);
    });

    it('completes a login that had begun', async () => {
      await simulator.open('telegram', 'clara', { start: facts.pending.start });
      await eventually(async () =>
        (await simulator.chat('telegram', 'clara')).messages.some(({ buttons }) => buttons.length),
      );
      await simulator.tap('telegram', 'clara', { button: 0 });
      const ended = await eventually(async () => {
        const { body } = await api('GET', `/v1/auth/session/${facts.pending.session_id}/status?wait=20`);
        return body.status !== 'pending' && body;
      });
      expect(ended).toMatchObject({ status: 'confirmed', state: 'state-pending' });
    });

    it('goes on with a broadcast, a scheduled message and a chain', async () => {
      // The simulator forgets its users when it stops: their messages fail, and that is an end as well.
      const ended = (
        route: string,
        isEnd: (body: { status: string; data?: { status: string }[] }) => boolean,
      ) => eventually(async () => isEnd((await api('GET', route)).body), 90_000);
      await ended(`/v1/broadcast/${facts.job_id}`, ({ status }) => status === 'completed');
      await ended(`/v1/scheduled/${facts.scheduled_id}`, ({ status }) => status !== 'scheduled');
      await ended(`/v1/drip-chains/${facts.drip_id}/enrolments`, ({ data = [] }) =>
        data.every(({ status }) => status !== 'active'),
      );
      const { body } = await api('GET', `/v1/recurring/${facts.recurring_id}`);
      expect(Date.parse(body.next_run_at)).toBeGreaterThan(Date.now());
    });

    it('has its tickets and forms', async () => {
      const closed = await api('PATCH', `/v1/helpdesk/tickets/${facts.ticket_id}`, { status: 'closed' });
      expect([closed.status, closed.body.status]).toEqual([200, 'closed']);
      const sent = await api('POST', `/f/${facts.form_id}`, { phone: '+79161234567' });
      expect([sent.status, sent.body.ok]).toEqual([200, true]);
    });
  });
}

test('the first release of this major version is kept', () => {
  const [major = ''] = packageVersion().split('.');
  expect(releases.includes(`${major}.0.0`)).toBe(Number(major) > 0);
});

/** Moves every time of the database so that the service seems to have stopped a moment ago, and the endpoint here. */
async function moveToNow(directory: string, recordedAt: string, endpointUrl: string): Promise<void> {
  const opened = await openDataDir(directory);
  const postgres = await startPostgres({ dataDir: opened, port: 0 });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
       AND data_type = 'timestamp with time zone' AND is_generated = 'NEVER' GROUP BY 1`,
  );
  const seconds = (Date.now() - Date.parse(recordedAt)) / 1000 - STOPPED_SECONDS;
  for (const { name, columns } of rows) {
    const moved = columns.map((column) => `${column} = ${column} + make_interval(secs => ${seconds})`);
    await client.query(`UPDATE ${name} SET ${moved.join(', ')}`);
  }
  await client.query('UPDATE endpoints SET url = $1', [endpointUrl]);
  await client.end();
  await postgres.stop();
  await opened.close();
}
