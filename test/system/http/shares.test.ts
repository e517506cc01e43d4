import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventRegistry } from '../../../src/domains/events/contract';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession } from '../login/fixture';
import { addCrowd, freshName } from '../messages/fixture';
import { createEndpoint, scriptedReceiver, type ScriptedReceiver } from '../webhooks/fixture';

/*
 * Short forms of `npm run bench -- shares`: the logins of one project beside another that does as much as its limits allow.
 * Orders of magnitude are compared, so these find a service that stands still, and not each protection that is missing: those
 * have tests of their own (`docs/security.md` names them). Hostile CSV, batches and strangers' JSON are in
 * `hostile-inputs.test.ts`.
 */

jest.setTimeout(120_000);

const CROWD = 2_000;
/** What a client does that is told to wait: refusals alone would be another load. */
const REFUSED_MS = 250;
/** A login that waits behind the whole of a load takes a hundred times as long as alone. */
const TIMES = 20;

const agent = new http.Agent({ keepAlive: true });

let service: Installation;
let receiver: ScriptedReceiver;
let other: TestProject;
beforeAll(async () => {
  service = await useService();
  receiver = await scriptedReceiver(200);
  other = await service.createProject();
  await login();
});
afterAll(async () => {
  agent.destroy();
  await receiver?.close();
  await service?.stop();
});

/** How long a whole one takes. */
async function login(): Promise<number> {
  const began = performance.now();
  const { status } = await confirmedSession(service, other, freshName('telegram'));
  const verified = await other.api('POST', '/v1/auth/verify', { code: status.code });
  expect(verified.status).toBe(200);
  return performance.now() - began;
}

async function crowd(project: TestProject): Promise<void> {
  await addCrowd(service, project, 'telegram', CROWD);
  await service.pool.query(`UPDATE subscribers SET tags = '{crowd}' WHERE project_id = $1`, [project.id]);
  await project.api('POST', '/v1/tags', { name: 'crowd' });
}

interface Load {
  loops: number;
  /** What the load needs; returns one round of a loop, which resolves to the status of a response. */
  prepare(greedy: TestProject): Promise<() => Promise<number>>;
}

const loads: Record<string, Load> = {
  'four broadcasts': {
    loops: 4,
    async prepare(greedy) {
      await crowd(greedy);
      return async () => {
        const { status, body } = await greedy.api('POST', '/v1/broadcast', { text: 'Hello!' });
        await sleep(500);
        await greedy.api('DELETE', `/v1/broadcast/${body.job_id}`);
        return status;
      };
    },
  },
  'renames of a tag': {
    loops: 4,
    async prepare(greedy) {
      await crowd(greedy);
      return async () => {
        const { status } = await greedy.api('PATCH', '/v1/tags/crowd', { name: 'throng' });
        if (status === 200) return status;
        return (await greedy.api('PATCH', '/v1/tags/throng', { name: 'crowd' })).status;
      };
    },
  },
  'exports and searches': {
    loops: 4,
    async prepare(greedy) {
      await crowd(greedy);
      await service.pool.query(`UPDATE projects SET plan = 'basic' WHERE id = $1`, [greedy.id]);
      return async () => {
        const { status } = await greedy.api('GET', '/v1/export/subscribers');
        const found = await greedy.api('GET', '/v1/deliveries?q=no+such+text+anywhere');
        expect([200, 429]).toContain(found.status);
        return status;
      };
    },
  },
  'loops over /mcp': {
    loops: 4,
    prepare(greedy) {
      const headers = {
        authorization: `Bearer ${greedy.api_key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return Promise.resolve(async () => {
        const sent = http.request(`${service.url}/mcp`, { method: 'POST', headers, agent }).end(body);
        const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
        // Half a megabyte, which is not parsed: this process makes the logins as well.
        await once(response.resume(), 'end');
        return response.statusCode ?? 0;
      });
    },
  },
  // The last one: its deliveries are still being sent after it.
  'a publish flood': {
    loops: 4,
    async prepare(greedy) {
      await createEndpoint(greedy, receiver.url, { events: ['ticket.created'] });
      const publisher = service.apiWith(await service.createKey(greedy.id, ['publish']));
      const event = { event: 'ticket.created', data: eventRegistry['ticket.created'].example };
      const events = Array.from({ length: 100 }, () => event);
      return async () => (await publisher('POST', '/v1/publish', { events })).status;
    },
  },
};

test.each(Object.entries(loads))('logins beside %s go on', async (_name, { loops, prepare }) => {
  const greedy = await service.createProject({ requests_per_minute: null });
  const round = await prepare(greedy);
  // The first one may load what later ones use.
  await round();
  const aloneMs = Math.max(await login(), await login());
  const statuses = new Set<number>();
  let isOver = false;
  const loop = async () => {
    // Also until one was served: the first ones are refused where the round before still holds the only turn.
    while (!isOver || ![...statuses].some((status) => status < 300)) {
      const status = await round();
      statuses.add(status);
      if (status === 429) await sleep(REFUSED_MS);
    }
  };
  const running = Array.from({ length: loops }, loop);
  try {
    // Other tests run beside this one: a single slow login is no standstill.
    expect(Math.min(await login(), await login())).toBeLessThan(TIMES * aloneMs);
  } finally {
    isOver = true;
    await Promise.all(running);
  }
  // It was a load, and never a fault of the service.
  expect([...statuses].some((status) => status < 300)).toBe(true);
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
});
