import { setTimeout as sleep } from 'node:timers/promises';
import { emitEvent } from '../src/domains/events';
import { workflowIds } from '../src/base/temporal/names';
import { openCookieBrowser } from '../test/support/cookie-browser';
import { authorizationRequest, redeemCode } from '../test/support/oidc-client';
import { createSimulatorControl, type SimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin, untilAsked } from './calls';
import type { BenchEnvironment } from './environment';
import { secondsOf } from './four-at-once';
import { event, example } from './herald';
import { createOidcClient } from './oidc';
import type { BenchReceiver } from './receiver';
import { CODE_TTL_SECONDS, type RoleProcesses } from './role-processes';

/** Work whose cost is measured. */
export interface Unit {
  name: string;
  /** How many times `run` does it. */
  count: number;
  /** How often it is done in the one workflow that `run` names; default: once. */
  inOneWorkflow?: number;
  /** Not measured. Returns the workflow that exists already, if the work is done in one. */
  prepare?(): Promise<string | null>;
  /** Returns when all of it has ended, with the id of one of its workflows; null if it has none. */
  run(): Promise<string | null>;
}

interface Scene {
  bench: BenchEnvironment;
  roles: RoleProcesses;
  receiver: BenchReceiver;
}

const LOGINS = 100;
const DELIVERIES = 300;
const EVERY_MS = 30;
/** Slow enough that no retry waits for a free slot of its endpoint. */
const failing = { count: 60, everyMs: 400 };
const MESSAGES = 300;
const ENROLMENTS = 200;
const CUSTOMERS = 20;
const MESSAGES_OF_CUSTOMER = 10;
const USERS_FROM = 3_000_000_000;

/** One of each domain. */
export function costUnits(scene: Scene): Unit[] {
  const { bench, receiver } = scene;
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const ok = `${receiver.url}/ok`;
  return [
    { name: 'login', count: LOGINS, run: () => logins(scene, control) },
    { name: 'OpenID Connect login', count: LOGINS, run: () => oidcLogins(scene, control) },
    ...(['workflow', 'auto', 'express'] as const).map((lane) => ({
      name: `delivery, lane ${lane}`,
      count: DELIVERIES,
      run: () => deliveries(scene, ok, { delivery_lane: lane }),
    })),
    {
      name: 'delivery that fails four times',
      count: failing.count,
      run: () => deliveries(scene, 'http://127.0.0.1:9/refused', { retry_policy: 'quick' }, failing),
    },
    messages(scene, control),
    dripSteps(scene, control),
    ticketMessages(scene, control),
  ];
}

async function logins({ bench, roles }: Scene, control: SimulatorControl): Promise<string> {
  const project = await bench.createProject('cost-logins');
  let last = '';
  await secondsOf(LOGINS, async (index) => {
    last = await completeLogin(roles.apiUrl, project.api_key, control, `cost-${index}`);
  });
  await untilCodesExpired();
  return workflowIds.authSession(last);
}

/** The workflow of a login ends with its code. */
const untilCodesExpired = () => sleep((CODE_TTL_SECONDS + 5) * 1000);

async function oidcLogins({ bench, roles }: Scene, control: SimulatorControl): Promise<string> {
  const project = await bench.createProject('cost-oidc');
  const client = await createOidcClient(roles.apiUrl, project.api_key);
  await secondsOf(LOGINS, async (index) => {
    const browser = openCookieBrowser();
    const { url, verifier } = authorizationRequest(roles.apiUrl, client);
    const authorization = await browser.get(url);
    const page = await browser.get(String(authorization.location));
    const start = /start=([\w-]+)/.exec(page.text)?.[1];
    const user = `cost-oidc-${index}`;
    await control.open('telegram', user, { start });
    await untilAsked(control, user);
    // As the script of the page does: one long poll, and the page again when it has ended.
    const token = /data-token="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const poll = async () => {
      const { text } = await browser.get(`${roles.apiUrl}/login/${token}/status?wait=25`);
      return (JSON.parse(text) as { status: string }).status;
    };
    const [polled] = await Promise.all([poll(), control.tap('telegram', user, { button: 'Yes' })]);
    for (let status = polled; status === 'pending'; status = await poll());
    let next = page.url;
    while (next.startsWith(roles.apiUrl)) {
      const shown = await browser.get(next);
      if (shown.location) next = shown.location;
      else await sleep(50);
    }
    const code = new URL(next).searchParams.get('code') ?? '';
    if (!(await redeemCode(roles.apiUrl, client, { code, verifier }))) throw new Error('the login failed');
    // The next login comes from another address.
    await bench.service.core.pool.query('UPDATE oidc_logins SET address = NULL WHERE address IS NOT NULL');
  });
  await untilCodesExpired();
  const { rows } = await bench.service.core.pool.query<{ id: string }>(
    'SELECT id FROM auth_sessions WHERE project_id = $1 ORDER BY created_at DESC LIMIT 1',
    [project.id],
  );
  return workflowIds.authSession(rows[0]?.id ?? '');
}

/** Emits events for one endpoint, and waits until every delivery has ended. */
async function deliveries(
  { bench, roles }: Scene,
  url: string,
  settings: Record<string, string>,
  { count, everyMs } = { count: DELIVERIES, everyMs: EVERY_MS },
): Promise<string | null> {
  const { pool } = bench.service.core;
  const project = await bench.createProject(`cost-${Object.values(settings).join('-')}`);
  await call(roles.apiUrl, project.api_key, 'POST', '/v1/webhooks', { url, ...settings });
  for (let sent = 0; sent < count; sent += 1) {
    await emitEvent(pool, project.id, event, example);
    await sleep(everyMs);
  }
  for (;;) {
    const { rows } = await pool.query<{ open: number; last: string | null }>(
      `SELECT count(*) FILTER (WHERE status = 'pending')::int AS open,
         max(id::text) FILTER (WHERE lane = 'workflow') AS last
       FROM deliveries WHERE project_id = $1`,
      [project.id],
    );
    const [{ open, last } = { open: -1, last: null }] = rows;
    if (open === 0) return last === null ? null : workflowIds.delivery(last);
    await sleep(250);
  }
}

function messages({ bench, roles }: Scene, control: SimulatorControl): Unit {
  let key = '';
  let people: string[] = [];
  return {
    name: 'message',
    count: MESSAGES,
    async prepare() {
      const project = await bench.createProject('cost-messages');
      key = project.api_key;
      people = await addPeople(bench, control, project.id, { from: USERS_FROM, count: MESSAGES });
      return null;
    },
    async run() {
      for (const id of people) {
        await call(roles.apiUrl, key, 'POST', '/v1/send', { subscriber_id: id, text: 'Hello' });
        await sleep(EVERY_MS);
      }
      return null;
    },
  };
}

async function addPeople(
  { service }: BenchEnvironment,
  control: SimulatorControl,
  projectId: string,
  users: { from: number; count: number },
): Promise<string[]> {
  await control.addUsers('telegram', users);
  const { rows } = await service.core.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', n, n, 'Crowd', 'en' FROM generate_series($2::bigint, $2::bigint + $3 - 1) AS n RETURNING id`,
    [projectId, users.from, users.count],
  );
  return rows.map(({ id }) => id);
}

/** Enrolments of a chain that waits for a minute and sends one message. */
function dripSteps({ bench, roles }: Scene, control: SimulatorControl): Unit {
  const { pool } = bench.service.core;
  let projectId = '';
  let chain = '';
  let people: string[] = [];
  return {
    name: 'drip step: a wait and a message',
    count: ENROLMENTS,
    async prepare() {
      const project = await bench.createProject('cost-drip');
      projectId = project.id;
      const from = USERS_FROM + MESSAGES;
      people = await addPeople(bench, control, projectId, { from, count: ENROLMENTS });
      const created = await call(roles.apiUrl, project.api_key, 'POST', '/v1/drip-chains', {
        name: 'Chain',
        trigger: { type: 'manual' },
        steps: [
          { id: 'wait', type: 'delay', minutes: 1 },
          { id: 'hello', type: 'send', content: { text: 'Hello' } },
        ],
        status: 'active',
      });
      chain = created['drip_id'] ?? '';
      return null;
    },
    async run() {
      for (const subscriber of people) {
        await pool.query(
          `WITH enrolled AS (
             INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id) VALUES ($1, $2, 1, $3, 'wait')
             RETURNING id)
           INSERT INTO agenda (kind, id, project_id, due_at) SELECT 'drip', id, $1, now() FROM enrolled`,
          [projectId, chain, subscriber],
        );
        await sleep(EVERY_MS);
      }
      for (;;) {
        const { rows } = await pool.query<{ ended: number; last: string }>(
          `SELECT count(*) FILTER (WHERE status = 'completed')::int AS ended, max(id::text) AS last
           FROM drip_enrolments WHERE project_id = $1`,
          [projectId],
        );
        if (rows[0]?.ended === ENROLMENTS) return workflowIds.drip(rows[0].last);
        await sleep(250);
      }
    },
  };
}

/** What customers write in tickets that are open. */
function ticketMessages({ bench, roles }: Scene, control: SimulatorControl): Unit {
  const { pool } = bench.service.core;
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => `cost-customer-${index}`);
  let projectId = '';
  let workflow = '';
  const untilWritten = async (count: number) => {
    for (;;) {
      const { rows } = await pool.query<{ n: number; ticket: string }>(
        `SELECT count(*)::int AS n, max(t.id::text) AS ticket
         FROM tickets t JOIN ticket_messages m ON m.ticket_id = t.id WHERE t.project_id = $1`,
        [projectId],
      );
      if (rows[0]?.n === count) return workflowIds.ticket(rows[0].ticket);
      await sleep(100);
    }
  };
  const write = (text: string) => Promise.all(customers.map((name) => control.say('telegram', name, text)));
  return {
    name: 'message of a customer in a ticket',
    count: CUSTOMERS * MESSAGES_OF_CUSTOMER,
    inOneWorkflow: MESSAGES_OF_CUSTOMER,
    async prepare() {
      const project = await bench.createProject('cost-tickets');
      projectId = project.id;
      await call(roles.apiUrl, project.api_key, 'PATCH', '/v1/helpdesk', { enabled: true });
      for (const name of customers) await control.open('telegram', name, { start: `help_${project.slug}` });
      for (const name of customers) {
        while ((await control.chat('telegram', name)).messages.every(({ from }) => from !== 'bot')) {
          await sleep(20);
        }
      }
      await write('Where is my order?');
      workflow = await untilWritten(CUSTOMERS);
      return workflow;
    },
    async run() {
      for (let round = 1; round <= MESSAGES_OF_CUSTOMER; round += 1) {
        await write(`And now, ${round}?`);
        await untilWritten(CUSTOMERS * (round + 1));
      }
      return workflow;
    },
  };
}
