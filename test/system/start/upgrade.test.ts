import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { openDataDir } from '../../../src/embedded/data-dir';
import { startPostgres } from '../../../src/embedded/postgres';
import { isValidWebhook as isValid } from '../../../sdk/typescript/src';
import { eventually } from '../../support/eventually';
import { startHerald, temporaryDataDir, type NpmProcess } from '../../support/npm-start';
import { createApi, type Api } from '../../support/service';
import { createSimulatorControl, type SimulatorControl } from '../../support/simulator-control';
import { scriptedReceiver, type ScriptedReceiver } from '../webhooks/fixture';

jest.setTimeout(180_000);

/** What record-0.1.0.mjs has left in the directory. */
const facts = JSON.parse(readFileSync(path.join(__dirname, 'data-0.1.0.json'), 'utf8')) as {
  recorded_at: string;
  api_key: string;
  subscriber_id: string;
  code: string;
  endpoint: { id: string; secret: string };
  delivery_id: string;
  pending: { session_id: string; start: string };
  job_id: string;
};
/** The service was stopped for so long: the second attempt is due. */
const STOPPED_SECONDS = 50;

describe('a data directory of version 0.1.0', () => {
  let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
  let receiver: ScriptedReceiver;
  let herald: NpmProcess;
  let api: Api;
  let simulator: SimulatorControl;

  beforeAll(async () => {
    dataDir = await temporaryDataDir();
    receiver = await scriptedReceiver(200);
    unpack(dataDir.path);
    await moveToNow(dataDir.path, receiver.url);
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
      expect.objectContaining({
        external_id: 'user-1',
        tags: ['vip'],
        permissions: ['news'],
        timezone: null,
        properties: {},
      }),
    ]);
    expect((await api('POST', '/v1/auth/verify', { code: facts.code })).body).toMatchObject({
      first_name: 'boris',
    });
  });

  it('makes the attempt for which a delivery waited in Temporal', async () => {
    const received = await eventually(() => receiver.of(facts.delivery_id)[0], 60_000);
    expect(isValid(received.body, received.headers, facts.endpoint.secret)).toBe(true);
    const delivery = await eventually(async () => {
      const { body } = await api('GET', `/v1/deliveries/${facts.delivery_id}`);
      return body.status === 'succeeded' && body;
    });
    expect(delivery.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 200]);
  });

  it('completes a login that had begun', async () => {
    const status = () => api('GET', `/v1/auth/session/${facts.pending.session_id}/status`);
    expect((await status()).body.status).toBe('pending');
    await simulator.open('telegram', 'clara', { start: facts.pending.start });
    await eventually(async () =>
      (await simulator.chat('telegram', 'clara')).messages.some(({ buttons }) => buttons.length),
    );
    await simulator.tap('telegram', 'clara', { button: 0 });
    await eventually(async () => {
      const { body } = await status();
      return body.status === 'confirmed' && body.state === 'state-pending';
    });
  });

  it('ends a broadcast that was running', async () => {
    const end = await eventually(async () => {
      const { body } = await api('GET', `/v1/broadcast/${facts.job_id}`);
      return body.status === 'completed' && body;
    }, 90_000);
    // The simulator forgets its users when it stops, so the second message may fail.
    expect([end.total_subscribers, end.sent + end.failed]).toEqual([2, 2]);
  });
});

function unpack(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const input = brotliDecompressSync(readFileSync(path.join(__dirname, 'data-0.1.0.tar.br')));
  const { status, stderr } = spawnSync('tar', ['-x', '-C', directory], { input });
  if (status !== 0) throw new Error(stderr.toString());
}

/** Moves every time of the database so that the service seems to have stopped a moment ago, and the endpoint here. */
async function moveToNow(directory: string, endpointUrl: string): Promise<void> {
  const opened = await openDataDir(directory);
  const postgres = await startPostgres({ dataDir: opened, port: 0 });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone' GROUP BY 1`,
  );
  const seconds = (Date.now() - Date.parse(facts.recorded_at)) / 1000 - STOPPED_SECONDS;
  for (const { name, columns } of rows) {
    const moved = columns.map((column) => `${column} = ${column} + make_interval(secs => ${seconds})`);
    await client.query(`UPDATE ${name} SET ${moved.join(', ')}`);
  }
  await client.query('UPDATE endpoints SET url = $1', [endpointUrl]);
  await client.end();
  await postgres.stop();
  await opened.close();
}
