import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import { openCookieBrowser } from '../test/support/cookie-browser';
import { authorizationRequest, redeemCode, type OidcClient } from '../test/support/oidc-client';
import { call } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { percentile } from './numbers';
import type { Figure } from './table';

const WARM_UP = 20;
/** Override with HERALD_BENCH_LOGINS. */
const LOGINS = Number(process.env['HERALD_BENCH_LOGINS'] ?? 200);
/** Of all steps together, at the median. */
const TARGET_MS = 25;
const CALLBACK = 'https://shop.example/callback';

const steps = ['authorize', 'interaction', 'token', 'userinfo'] as const;
type Step = (typeof steps)[number];

interface Spent {
  /** Herald's own time: from the arrival of a request to the end of its response. */
  ms: number;
  /** As the client sees it, which runs in this process too. */
  clientMs: number;
  /** Of this process, which is also the client and the worker. Unlike the time, it does not depend on the machine's load. */
  cpuMs: number;
  /** In the order in which they ended. */
  statements: Statement[];
}

interface Statement {
  name: string;
  /** From its sending to its result: where two run at once, both count. */
  ms: number;
}

/**
 * What OpenID Connect adds to a login: authorize (begins the session), interaction (the page's redirect and the
 * provider's), token and userinfo. One login after the other, through HTTP, with the limits on. Requests are measured in
 * the server. The person's answer is written into the row, because its time is not ours.
 */
export async function benchOidc(): Promise<Figure[]> {
  const bench = await startBench();
  const statements = watchStatements();
  const requests = watchRequests();
  try {
    const project = await bench.createProject('bench-oidc');
    const client = await createOidcClient(bench.service.apiUrl ?? '', project.api_key);
    const subscriber = await insertSubscriber(bench, project.id);
    const spent: Record<Step, Spent>[] = [];
    for (let login = 0; login < WARM_UP + LOGINS; login += 1) {
      const measured = await logIn(bench, client, subscriber, { statements, requests });
      if (login >= WARM_UP) spent.push(measured);
    }
    showStatements(spent);
    return figuresOf(spent);
  } finally {
    statements.restore();
    requests.restore();
    await bench.stop();
  }
}

export async function createOidcClient(apiUrl: string, key: string): Promise<OidcClient> {
  const body = { name: 'Bench', redirect_uris: [CALLBACK] };
  const { client_id = '', client_secret = '' } = await call(apiUrl, key, 'POST', '/v1/oidc/clients', body);
  return { client_id, client_secret, redirect_uri: CALLBACK };
}

async function insertSubscriber({ service }: BenchEnvironment, projectId: string): Promise<string> {
  const { rows } = await service.core.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     VALUES ($1, 'telegram', 'bench', 'bench', 'Bench', 'en') RETURNING id`,
    [projectId],
  );
  return rows[0]?.id ?? '';
}

async function logIn(
  { service }: BenchEnvironment,
  client: OidcClient,
  subscriber: string,
  { statements, requests }: { statements: Statements; requests: Requests },
): Promise<Record<Step, Spent>> {
  const url = service.apiUrl ?? '';
  const { pool } = service.core;
  const browser = openCookieBrowser();
  const spent = {} as Record<Step, Spent>;
  const measure = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    statements.take();
    requests.take();
    const cpu = process.cpuUsage();
    const started = performance.now();
    const result = await work();
    const clientMs = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const ms = requests.take();
    spent[step] = { ms, clientMs, cpuMs: (user + system) / 1000, statements: statements.take() };
    return result;
  };

  const request = authorizationRequest(url, client);
  const authorization = await measure('authorize', () => browser.get(request.url));
  await started(pool);
  await pool.query(
    `UPDATE auth_sessions SET status = 'confirmed', decided_at = now(), subscriber_id = $1,
       code_expires_at = now() + interval '5 minutes', code_hash = sha256(id::text::bytea)
     WHERE status = 'pending'`,
    [subscriber],
  );
  const callback = await measure('interaction', async () => {
    const page = await browser.get(String(authorization.location));
    return (await browser.get(String(page.location))).location;
  });
  const code = new URL(String(callback)).searchParams.get('code') ?? '';
  const tokens = await measure('token', () => redeemCode(url, client, { code, verifier: request.verifier }));
  const me = await measure('userinfo', async () => {
    const response = await fetch(`${url}/oidc/me`, {
      headers: { authorization: `Bearer ${tokens?.access_token}` },
    });
    return (await response.json()) as { sub?: string };
  });
  if (me.sub !== subscriber) throw new Error('the login failed');
  // The next login comes from another address.
  await pool.query('UPDATE oidc_logins SET address = NULL');
  return spent;
}

/** The start of the workflow runs on its own; it must not fall into the next step. */
async function started(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM auth_sessions WHERE status = 'pending' AND workflow_started_at IS NULL`,
    );
    if (!rowCount) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface Requests {
  /** Milliseconds of the requests that have ended since the last call. */
  take(): number;
  restore(): void;
}

/** Measures the requests of a login in the server itself. */
function watchRequests(): Requests {
  const started = new WeakMap<ServerResponse, number>();
  let ended = 0;
  const onStart = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (/^\/(oidc|login)\//.test(request.url ?? '')) started.set(response, performance.now());
  };
  const onFinish = (message: unknown) => {
    const began = started.get((message as { response: ServerResponse }).response);
    if (began !== undefined) ended += performance.now() - began;
  };
  subscribe('http.server.request.start', onStart);
  subscribe('http.server.response.finish', onFinish);
  return {
    take() {
      const taken = ended;
      ended = 0;
      return taken;
    },
    restore() {
      unsubscribe('http.server.request.start', onStart);
      unsubscribe('http.server.response.finish', onFinish);
    },
  };
}

interface Statements {
  /** What has ended since the last call. */
  take(): Statement[];
  restore(): void;
}

type Callback = (...results: unknown[]) => void;

/** Measures every statement of this process. A pool passes a callback; a transaction awaits a promise. */
function watchStatements(): Statements {
  const original = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  let ended: Statement[] = [];
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const sent = performance.now();
    const name = nameOf(given[0]);
    const done = () => void ended.push({ name, ms: performance.now() - sent });
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      const wrapped: Callback = (...results) => {
        done();
        (callback as Callback)(...results);
      };
      return original.apply(this, [...given.slice(0, -1), wrapped]);
    }
    const result = original.apply(this, given);
    if (result instanceof Promise) result.then(done, done);
    return result;
  } as typeof pg.Client.prototype.query;
  return {
    take() {
      const taken = ended;
      ended = [];
      return taken;
    },
    restore: () => void (pg.Client.prototype.query = original as typeof pg.Client.prototype.query),
  };
}

function nameOf(query: unknown): string {
  if (typeof query === 'string') return query.trim().split(/\s+/)[0] ?? '';
  return (query as { name?: string }).name ?? 'unnamed';
}

/** Where the time of each step goes: its statements, with how many of each a login makes and how long they take. */
function showStatements(spent: Record<Step, Spent>[]): void {
  for (const step of steps) {
    const all = spent.flatMap((login) => login[step].statements);
    process.stderr.write(`  ${step}\n`);
    for (const name of new Set(all.map((statement) => statement.name))) {
      const times = all.filter((statement) => statement.name === name).map(({ ms }) => ms);
      const each = (times.length / spent.length).toFixed(times.length % spent.length === 0 ? 0 : 2);
      process.stderr.write(`    ${each} × ${name}, ${median(times).toFixed(2)} ms\n`);
    }
  }
}

function median(values: number[]): number {
  return percentile(
    [...values].sort((one, other) => one - other),
    0.5,
  );
}

function databaseMs({ statements }: Spent): number {
  return statements.reduce((sum, statement) => sum + statement.ms, 0);
}

function figuresOf(spent: Record<Step, Spent>[]): Figure[] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const total = spent.map((login) => steps.reduce((sum, step) => sum + login[step].ms, 0));
  const p50 = median(total);
  return [
    ...steps.map((step) => {
      const each = spent.map((login) => login[step]);
      return {
        name: `OpenID Connect: ${step}, p50`,
        value: ms(median(each.map((one) => one.ms))),
        baseline: [
          `client ${ms(median(each.map(({ clientMs }) => clientMs)))}`,
          `database ${ms(median(each.map(databaseMs)))}`,
          `${median(each.map(({ statements }) => statements.length))} statements`,
          `CPU ${ms(median(each.map(({ cpuMs }) => cpuMs)))}`,
        ].join(', '),
      };
    }),
    {
      name: 'OpenID Connect: the four steps of a login together, p50',
      value: ms(p50),
      baseline: `${TARGET_MS} ms`,
      ratio: p50 / TARGET_MS,
      target: 1,
      atMost: true,
    },
  ];
}
