import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { startTestService, type Lane, type TestService } from '../../../support/service';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy';

/** The service of a lane, which all suites of a file share. */
export interface RunningLane {
  name: Lane;
  service: TestService;
  database: TestDatabase;
  /** Through which it reaches its servers. */
  proxies: Record<'Temporal' | 'Postgres', TcpProxy>;
  logLines: string[];
}

/** Its own service: the default lane is a setting. Filled before the first test of the file. */
export function runLane(name: Lane): RunningLane {
  const running = { name, logLines: [] as string[] } as RunningLane;
  beforeAll(async () => {
    running.database = await createTestDatabase();
    const address = new URL(running.database.url);
    running.proxies = {
      Temporal: await startTcpProxy(Number(process.env['HERALD_TEST_TEMPORAL_ADDRESS']?.split(':')[1])),
      Postgres: await startTcpProxy(Number(address.port)),
    };
    address.port = String(running.proxies.Postgres.port);
    running.service = await startTestService({
      lane: name,
      roles: 'api,worker',
      queues: ['deliveries'],
      database: { ...running.database, url: address.href },
      temporalAddress: `127.0.0.1:${running.proxies.Temporal.port}`,
      logLines: running.logLines,
    });
  });
  afterAll(async () => {
    await running.service?.stop();
    for (const proxy of Object.values(running.proxies)) await proxy.close();
    await running.database?.drop();
  });
  return running;
}

/** A second of the retry policies takes this part of a second in the tests of the suite. */
export function scaleRetries(lane: RunningLane, scale: number): void {
  beforeAll(() => {
    lane.service.config.HERALD_RETRY_SCALE = scale;
  });
  afterAll(() => {
    lane.service.config.HERALD_RETRY_SCALE = 1;
  });
}
