import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import pg from 'pg';
import { Pool } from 'undici';

/**
 * The least that a publisher can do durably: Koa, one committed row, one POST to the receiver, one update. It retries
 * nothing, signs nothing and loses what is in flight; it is the baseline of the smoke benchmark's times.
 */
export async function startBarePublish(
  databaseUrl: string,
  target: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  await pool.query('CREATE TABLE bench_posts (id uuid PRIMARY KEY, body text NOT NULL, status int)');
  const client = new Pool(target, { connections: 64, pipelining: 1 });
  const post = async (id: string, body: string) => {
    const response = await client.request({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'x-service-delivery-id': id },
      body,
    });
    await response.body.dump();
    const text = 'UPDATE bench_posts SET status = $2 WHERE id = $1';
    await pool.query({ name: 'bench_posted', text, values: [id, response.statusCode] });
  };
  const router = new Router();
  const posting = new Set<Promise<void>>();
  router.post('/publish', async (ctx) => {
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
    const [id, body] = [randomUUID(), Buffer.concat(chunks).toString('utf8')];
    const text = 'INSERT INTO bench_posts (id, body) VALUES ($1, $2)';
    await pool.query({ name: 'bench_post', text, values: [id, body] });
    const sent = post(id, body).finally(() => posting.delete(sent));
    posting.add(sent);
    ctx.status = 202;
    ctx.body = { id };
  });
  const app = new Koa();
  app.use(router.routes());
  const server = http.createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(posting);
      await client.close();
      await pool.query('DROP TABLE bench_posts');
      await pool.end();
    },
  };
}
