import { randomUUID } from 'node:crypto';
import PgBoss from 'pg-boss';
import { Pool } from 'undici';
import type { Begin } from './pace';
import { wallClock } from './receiver';

/** The same POST through pg-boss on the same PostgreSQL: one committed insert, one job marked as done. */
export async function startPgBossQueue(
  databaseUrl: string,
  target: string,
  body: string,
): Promise<{ begin: Begin; stop(): Promise<void> }> {
  const boss = new PgBoss({ connectionString: databaseUrl, schema: 'bench_boss', max: 20 });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('posts');
  const client = new Pool(target, { connections: 64, pipelining: 1 });
  const post = async (id: string) => {
    const response = await client.request({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'x-service-delivery-id': id },
      body,
    });
    await response.body.dump();
  };
  // The best of several settings: with batches of 50 the shortest polling interval limits it to 400 per second, and
  // more workers do not help.
  for (let worker = 0; worker < 4; worker += 1) {
    await boss.work<{ id: string }>(
      'posts',
      { batchSize: 200, pollingIntervalSeconds: 0.5 },
      async (jobs) => {
        await Promise.all(jobs.map((job) => post(job.data.id)));
      },
    );
  }
  return {
    async begin() {
      const id = randomUUID();
      await boss.send('posts', { id });
      return { id, at: wallClock() };
    },
    async stop() {
      await boss.stop({ graceful: true, timeout: 10_000, wait: true });
      await client.close();
    },
  };
}
