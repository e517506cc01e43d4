import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import pg from 'pg';

/** The baseline of the HTTP figures: Koa, its router and one prepared query by primary key. */
export async function startBareRoute(
  databaseUrl: string,
  table: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const router = new Router();
  router.get('/bare/:id', async (ctx) => {
    const { rows } = await pool.query<Record<string, unknown>>({
      name: 'bare',
      text: `SELECT id, created_at FROM ${table} WHERE id = $1`,
      values: [ctx.params['id']],
    });
    ctx.body = rows[0] ?? {};
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
      await pool.end();
    },
  };
}
