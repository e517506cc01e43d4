import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultTime } from '../chaos/invariants';
import type { ClusterFixture } from './fixture';

/** Between two faults, so that the load goes on. */
const CALM_MS = 4_000;
const TEMPORAL_DOWN_MS = 60_000;

/** Each part is killed once, then the whole Temporal cluster for a minute, then the database with a failover. */
export async function killEachPart(
  fixture: ClusterFixture,
  onProgress: (message: string) => void,
): Promise<FaultTime[]> {
  const times: FaultTime[] = [];
  async function fault(message: string, hurt: () => Promise<unknown>): Promise<void> {
    await sleep(CALM_MS);
    onProgress(message);
    const time = { from: Date.now(), to: Infinity };
    times.push(time);
    await hurt();
    time.to = Date.now();
  }
  for (const part of fixture.roles) {
    await fault(`kill ${part.name}`, async () => {
      await part.kill(1_000);
      await sleep(1_000);
      await part.ready();
    });
  }
  const history = fixture.temporal.parts.find(({ name }) => name.startsWith('history'));
  if (history) await fault('kill one history of Temporal', () => history.kill(5_000));
  await fault('kill the whole Temporal cluster for a minute', async () => {
    await fixture.temporal.whole.kill(TEMPORAL_DOWN_MS);
    // Its membership is found anew.
    await sleep(10_000);
  });
  await fault('kill the database; the replica takes over', async () => {
    const seconds = await fixture.postgres.failOver();
    onProgress(`the replica was promoted after ${seconds.toFixed(1)} s`);
    await sleep(5_000);
  });
  await sleep(CALM_MS);
  return times;
}
