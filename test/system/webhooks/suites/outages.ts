import { limits } from '../../../../src/base/contract/limits';
import type { TestDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import type { TestProject, TestService } from '../../../support/service';
import type { TcpProxy } from '../../../support/tcp-proxy';
import { createEndpoint, emitOne, scriptedReceiver, type ScriptedReceiver } from '../fixture';
import { scaleRetries, type RunningLane } from './lane';

/** A second of the schedule takes 300 ms: attempts at 0, 9 and 36 seconds. */
const SCALE = 0.3;
const { webhookConcurrencyPerEndpoint: cap } = limits;
const DELIVERIES = cap + 10;

/** Temporal or Postgres is unavailable when attempts of the schedule are due. */
export function outages(lane: RunningLane): void {
  let database: TestDatabase;
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;
  let proxies: Record<'Temporal' | 'Postgres', TcpProxy>;

  scaleRetries(lane, SCALE);
  beforeAll(() => {
    ({ service, database, proxies } = lane);
  });
  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver(503);
  });
  afterEach(() => receiver.close());

  test.each(['Temporal', 'Postgres'] as const)(
    '%s is unavailable in the middle of the schedule: on its return each overdue attempt is made once, without a stampede',
    async (part) => {
      const endpoint = await createEndpoint(project, receiver.url);
      const ids = await Promise.all(
        Array.from({ length: DELIVERIES }, () => emitOne(service, project, endpoint.id)),
      );
      const count = async (condition: string) => {
        const { rows } = await database.pool.query<{ count: number }>(
          `SELECT count(*) FROM deliveries WHERE endpoint_id = $1 AND ${condition}`,
          [endpoint.id],
        );
        return rows[0]?.count;
      };
      // The first attempts have failed; the second ones are due in a few seconds. On a slow machine it may be the third ones.
      const areWaiting = `next_attempt_at > now() + interval '3 seconds'`;
      await eventually(async () => (await count(areWaiting)) === DELIVERIES);
      const before = ids.map((id) => receiver.of(id).length);
      await proxies[part].close();
      try {
        await eventually(async () => (await count('next_attempt_at < now()')) === DELIVERIES);
        let open = 0;
        let most = 0;
        receiver.behave((res) => {
          open += 1;
          most = Math.max(most, open);
          setTimeout(() => {
            open -= 1;
            res.end();
          }, 50);
        });
        await proxies[part].open();
        await eventually(async () => (await count(`status = 'succeeded'`)) === DELIVERIES, 50_000);
        expect(most).toBeLessThanOrEqual(cap);
      } finally {
        await proxies[part].open();
      }
      expect(ids.map((id) => receiver.of(id).length)).toEqual(before.map((count) => count + 1));
    },
  );
}
